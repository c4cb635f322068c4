"""The numbers of `remem diagnose` are recounted from the runs' files without code of remem.

The memories of these runs store every message, so what is missing was stored and not recalled.
"""

import json
import os
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MEMORIES = (
    ("method=remem_i", "planner=scripted"),
    ("method=remem_s",),
    ("method=bm25_messages",),
)
DATA_SETS = (
    pytest.param(
        ("dataset=generated_dialogues", "run.histories=1", "run.limit=40"), id="generated"
    ),
    pytest.param(
        ("dataset=locomo", "run.histories=1", "run.limit=60"),
        id="locomo",
        marks=[
            pytest.mark.real_data,
            pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set"),
        ],
    ),
)
Line = dict[str, Any]


@pytest.fixture
def printed(remem: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    """Return a function that calls a command and returns what it prints."""

    def call(*words: str) -> str:
        data = Path(os.environ.get("REMEM_DATA", tmp_path / "not set"))
        done = remem(tmp_path, *words, data=data)
        assert done.code == 0, done.err
        return str(done.out)

    return call


def records(folder: Path) -> list[Line]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def words(text: str) -> list[str]:
    kept = "".join(char for char in text.lower() if char not in string.punctuation)
    return [word for word in kept.split() if word not in {"a", "an", "the"}]


def f1(answer: str, gold: str) -> float:
    """Return the F1 of words without punctuation and articles, as SQuAD's script has it."""
    first, second = words(answer), words(gold)
    shared = sum((Counter(first) & Counter(second)).values())
    return 2 * shared / (len(first) + len(second)) if shared else 0.0


def is_refused(record: Line) -> bool:
    answer = record["answer"].strip()
    return not answer or "no information available" in answer.lower()


def is_right(record: Line) -> bool:
    if not record["gold"]["answerable"]:
        return is_refused(record)
    return max(f1(record["answer"], gold) for gold in record["gold"]["answers"]) >= 0.5


def cause(record: Line, right_with_gold: bool) -> str:
    evidence = set(record["gold"]["evidence"])
    recalled = {message for item in record["retrieved"] for message in item["source"]}
    if not record["gold"]["answerable"]:
        return "answered although unanswerable"
    if not evidence:
        return "evidence not known"
    if evidence - recalled:
        return "stored, not recalled"
    if is_refused(record):
        return "refused although answerable"
    return "in the prompt, not used" if right_with_gold else "not readable"


@pytest.mark.parametrize("data", DATA_SETS)
def test_the_causes_of_three_runs_are_counted_again(
    data: tuple[str, ...], printed: Callable[..., str]
) -> None:
    def run(*memory: str) -> Path:
        out = printed("run", *data, *memory, "reader=typed", "run.health=warn")
        return Path(out.splitlines()[-1])

    folders = [run(*memory) for memory in MEMORIES]
    with_gold = records(run("method=oracle_message"))
    right = {record["query_id"]: is_right(record) for record in with_gold}
    shown = json.loads(printed("diagnose", *map(str, folders), "--json"))["runs"]
    for folder, diagnosed in zip(folders, shown, strict=True):
        counted = {
            record["query_id"]: cause(record, right[record["query_id"]])
            for record in records(folder)
            if not is_right(record)
        }
        assert diagnosed["questions"] == counted
        shares = {each["cause"]: each["n"] for each in diagnosed["causes"]}
        assert shares == Counter(counted.values())
