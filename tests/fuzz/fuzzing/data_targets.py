"""Fuzz the readers of benchmarks and logs with files that are changed in every way."""

import gzip
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

from fuzzing.harness import Target
from fuzzing.mutation import (
    changed_bytes,
    changed_document,
    changed_text,
)

from remem.benchmarks.locomo import LoCoMo
from remem.benchmarks.locomo_plus import LoCoMoPlus
from remem.benchmarks.realtalk import RealTalk
from remem.benchmarks.tot.loader import ToTSemantic
from remem.prompts.placeholders import placeholders
from remem.prompts.python_constants import read_constant, read_fstring, read_items
from remem.protocols import Benchmark

FLAT = {
    "speaker_a": "Ann",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello!"},
        {"speaker": "Bob", "dia_id": "D1:3", "text": "Look.", "blip_caption": "a dog"},
    ],
    "session_2_date_time": "12:09 am on 13 September, 2023",
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Bye!"}],
}
ASKED = [
    {"question": "Who?", "answer": "Ann", "evidence": ["D1:1"], "category": 4},
    {"question": "When?", "answer": 2022, "evidence": ["D2:01", "D1:1-D1:3"], "category": 2},
    {"question": "Is it?", "adversarial_answer": "A.", "evidence": [], "category": 5},
]
LOCOMO = [{"sample_id": "conv-7", "conversation": FLAT, "qa": ASKED}]
REALTALK = {
    "session_1": [
        {"clean_text": "Hi", "speaker": "ann", "date_time": "05.01.2024, 22:42:04", "dia_id": at}
        for at in ("D1:2", "D1:3")
    ],
    "session_1_date_time": "05.01.2024, 22:42:04",
    "qa": [
        {"question": "When?", "answer": "On 10.01.2024", "evidence": ["D1:2; D1:9"], "category": 2}
    ],
}
FACTS = ("E1 was the R3 of E2 from 1990 to 1995.", "E2 was the R3 of E2 from 1990 to 1990.")
TOT = [
    {
        "prompt": "Here is a set of temporal facts:\n"
        + "\n".join(FACTS)
        + "\n\nAnswer the following question from the facts.\nQuestion:\nWho was E1?",
        "question": "Who was E1?",
        "question_type": "first_last",
        "label": "E1",
    }
]
ITEMS = [
    {
        "relation_type": "goal",
        "cue_dialogue": "A: I want to row.\nB: Good.",
        "trigger_query": "A: The water was calm.",
        "time_gap": gap,
    }
    for gap in ("about two weeks later", "several months later", "12 years later")
]


@cache
def folder() -> Path:
    """Return a folder for the generated files, on tmpfs if there is one."""
    memory = Path("/dev/shm")
    where = tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None)
    # Not `atexit`, which the processes of a pool leave out.
    Finalize(None, rmtree, (where,), {"ignore_errors": True}, exitpriority=1)
    return Path(where)


def write(name: str, content: bytes) -> Path:
    path = folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def all_of(benchmark: Benchmark) -> int:
    """Read all histories and questions of a benchmark, and check that they can be encoded."""
    count = 0
    for history in benchmark.histories():
        for question in benchmark.questions(history.id):
            "".join((question.query.text, question.query.prompt, *question.gold.answers)).encode()
            count += 1
        for message in history.messages():
            f"{message.id}{message.speaker}{message.text}{message.caption}".encode()
    return count


def document(value: Any) -> Callable[[Random], bytes]:
    """Return a function that draws JSON documents similar to this one."""
    return partial(changed_document, value=value)


def _packed(rng: Random) -> bytes:
    """Return LoCoMo with random changes, as JSON or gzipped."""
    if rng.random() < 0.6:
        return document(LOCOMO)(rng)
    packed = gzip.compress(document(LOCOMO)(rng), 1, mtime=0)
    return changed_bytes(rng, packed) if rng.random() < 0.5 else packed


def read_locomo(content: bytes) -> int:
    packed = content.startswith(b"\x1f\x8b")
    write("locomo/x.json" + (".gz" if packed else ""), content)
    (folder() / f"locomo/x.json{'' if packed else '.gz'}").unlink(missing_ok=True)
    return sum(
        all_of(LoCoMo(data=str(folder()), file="x.json", evidence_rule=rule))
        for rule in ("paper", "tolerant")
    )


def read_realtalk(content: bytes) -> int:
    write("realtalk/Chat_1_ann_bob.json", content)
    return sum(
        all_of(RealTalk(data=str(folder()), evidence_rule=rule)) for rule in ("paper", "tolerant")
    )


def read_tot(content: bytes) -> int:
    write("test_of_time/x.json", content)
    data = str(folder())
    return all_of(ToTSemantic(data=data, file="x.json", subset=None, subset_seed=0))


def _items(rng: Random) -> tuple[bytes, bytes]:
    chats = [{"sample_id": "conv-7", "conversation": {**FLAT, "speaker_b": "Bob"}}]
    return document(ITEMS)(rng), (
        json.dumps(chats).encode() if rng.random() < 0.7 else document(chats)(rng)
    )


def read_stitched(contents: tuple[bytes, bytes]) -> int:
    write("locomo_plus/p.json", contents[0])
    write("locomo/p.json", contents[1])
    count = 0
    for rule in ("released", "counted"):
        benchmark = LoCoMoPlus(
            data=str(folder()),
            file="p.json",
            conversations="p.json",
            choice="random",
            seed=1,
            gap_rule=rule,
        )
        count += all_of(benchmark) + len(benchmark.flaws())
    return count


CONSTANT = """
RULE = 'Be brief about ${question}.'
SHOT = RULE
prompt_template = [
    {"role": "system", "content": RULE},
    {"role": "user", "content": SHOT},
    {"role": "user", "content": "${passage}"},
]
"""


def _constant(rng: Random) -> bytes:
    if rng.random() < 0.01:
        doubling = ["a0 = ['x', 'x', 'x', 'x']"]
        doubling += [f"a{n + 1} = [a{n}, a{n}, a{n}, a{n}]" for n in range(rng.randrange(3, 40))]
        return "\n".join([*doubling, f"prompt_template = a{len(doubling) - 1}"]).encode()
    pieces = ('{["a"]: "b"}', "{**{}}", "f'{x}'", "print()", "*a, b", "RULE", "b'x'", "1", "None")
    text = changed_text(rng, CONSTANT, 4)
    if rng.random() < 0.4:
        text = text.replace(rng.choice(('"${passage}"', "SHOT", "RULE")), rng.choice(pieces))
    content = text.encode("utf-8", "replace")
    return changed_bytes(rng, content) if rng.random() < 0.2 else content


def read_constants(content: bytes) -> None:
    for read in (read_fstring, lambda *place: read_items(*place, ["role", "content"])):
        with suppress(ValueError):
            read(content, "x.py", "prompt_template")
    found = read_constant(content, "x.py", "prompt_template")
    for item in found if isinstance(found, list) else [found]:
        if isinstance(item, dict) and isinstance(item.get("content"), str):
            for syntax in ("dollar", "braces"):
                placeholders(item["content"], syntax)


TARGETS = (
    Target("data: LoCoMo", _packed, read_locomo),
    Target("data: REALTALK", document(REALTALK), read_realtalk),
    Target("data: Test of Time", document(TOT), read_tot),
    Target("data: LoCoMo-Plus", _items, read_stitched),
    Target("data: prompts of others", _constant, read_constants),
)
