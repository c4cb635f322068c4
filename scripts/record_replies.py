"""Record what SmolLM2 replies on generated data: scripts/record_replies.py NEW.jsonl [OLD.jsonl].

Needs `make tiny-llm` and takes about 15 minutes of a core. A reply that is also in OLD keeps what
a person read in it ("read"); the others get "?", for a person to replace. The tracked file holds
replies of several such runs, some to earlier prompts: tests/recorded/README.md.
"""

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment

SHARED = (
    "llm=smollm2",
    "llm.build.attempts=1",
    "llm.build.endpoint.processes=2",
    "llm.build.endpoint.server.context_tokens=4096",
    "llm.build.endpoint.server.cache_prompt=true",  # faster, and no two runs need to agree
    "runner=threads",
    "runner.workers=2",
    "run.health=warn",
    "dataset.build.conversations=1",
    "dataset.build.questions_per_session=40",
)
FREE = ("llm.build.endpoint.json_mode=text", "llm.build.endpoint.max_output_tokens=128")
MESSAGES = ("method=remem_i", "method.build.episode_unit=message", "extractor=llm", "planner=llm")
LINES = ("method=bm25_messages", "method.build.top_k=4")
RECIPES = (
    (*MESSAGES, "dataset.build.seed=19", "dataset.build.sessions=3", "run.limit=50"),
    (*MESSAGES, *FREE, "dataset.build.seed=31", "dataset.build.sessions=1", "run.limit=12"),
    (*LINES, *FREE, "reader=direct", "prompts=few_shot", "dataset.build.seed=37", "run.limit=60"),
    (*LINES, *FREE, "reader=direct", "dataset.build.seed=29", "run.limit=50"),
    (*LINES, *FREE, "reader=tiser", "dataset.build.seed=23", "run.limit=40"),
)
BEGINNINGS = {
    "You keep the diary": "gists",
    "You turn a session": "facts",
    "You search a memory": "planner",
    "You answer a question from what was found": "reader_direct",
    "You answer a question from the lines": "reader_few_shot",
    "You answer a question about time": "reader_tiser",
}
"""The start of a system message, and the component that uses it."""


def main(new: Path, old: Path | None = None) -> None:
    """Ask the model, and write a header and a line for each different reply."""
    read = {line["text"]: line["read"] for line in _lines(old) if "text" in line} if old else {}
    asked = run_config(compose_config([*SHARED])).settings.llm.identity
    header = {
        "model": asked.model,
        "weights_sha256": asked.weights_sha256,
        "engine": f"xllamacpp=={version('xllamacpp')}",
        "read": "what a person reads in the text: an answer, a number of gists, facts, or a call; "
        "null: nothing",
    }
    replies = {(asker, text): cut for asker, text, cut in _replies()}
    lines = [
        {"asked_by": asker, "cut": cut, "text": text, "read": read.get(text, "?")}
        for (asker, text), cut in replies.items()
    ]
    written = (json.dumps(line, ensure_ascii=False) + "\n" for line in (header, *lines))
    new.write_text("".join(written), encoding="utf-8")


def _replies() -> Iterator[tuple[str, str, bool]]:
    for recipe in RECIPES:
        with TemporaryDirectory() as folder:
            where = (f"paths.results={folder}", f"cache.calls={folder}/calls.sqlite")
            run_experiment(run_config(compose_config([*SHARED, *recipe, *where])))
            yield from _stored(Path(folder) / "calls.sqlite")


def _stored(store: Path) -> Iterator[tuple[str, str, bool]]:
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT request, text, finish_reason FROM calls ORDER BY id")
        for request, text, reason in rows.fetchall():
            yield _asker(json.loads(request)["messages"][0][1]), text, reason == "length"


def _asker(system: str) -> str:
    return next(asker for begins, asker in BEGINNINGS.items() if system.startswith(begins))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:3]))
