"""Records that are not of this run: refused by name, and never scored."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_another_runs_records_are_refused_by_name(line: Any, undisturbed: bytes) -> None:
    other = type(line)(line.results, line.server, ("reader=extractive",))
    other.finished()
    theirs = other.log.read_bytes()
    mine = type(line)(line.results.with_name("mine"), line.server)
    assert mine.finished() == undisturbed
    mine.log.write_bytes(theirs)
    code, said = mine.said()
    assert code == 0
    assert f"{mine.log}: line 1 (and 11 more) changed since this run wrote it" in said
    assert mine.log.with_name("records.jsonl.set-aside").read_bytes() == theirs
    assert mine.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_record_of_an_unknown_question_is_refused_by_name(
    line: Any,
    undisturbed: bytes,
    change_records: Callable[[Path, Callable[[bytes], bytes]], None],
) -> None:
    assert line.finished() == undisturbed
    lines = line.log.read_bytes().splitlines(keepends=True)
    name = json.loads(lines[0])["query_id"].encode()
    change_records(line.log.parent, lambda record: record.replace(name, b"q-of-nobody"))
    code, said = line.said()
    assert code == 0
    assert (
        f"{line.log}: line 1 answers 'q-of-nobody', which is not a question of these data" in said
    )
    assert line.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_second_line_of_60_mb_is_refused_by_name(line: Any, undisturbed: bytes) -> None:
    assert line.finished() == undisturbed
    first = json.loads(line.log.read_bytes().splitlines()[0])
    with line.log.open("ab") as log:
        log.write(json.dumps({**first, "answer": "no " * 20_000_000}).encode() + b"\n")
    code, said = line.said()
    assert code == 0
    assert f"{line.log}: line 13 changed since this run wrote it" in said
    assert line.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_manifest_of_another_run_is_refused_by_name(line: Any, undisturbed: bytes) -> None:
    assert line.finished() == undisturbed
    other = type(line)(line.results.with_name("other"), line.server, ("reader=extractive",))
    other.finished()
    manifest = line.log.with_name("manifest.json")
    shutil.copy(other.log.with_name("manifest.json"), manifest)
    code, said = line.said()
    assert code == 0
    assert f"{manifest}: it is the manifest of run" in said
    assert line.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed
