"""Records that are not of this run: refused by name, and never scored."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def other(line: Any, tmp_path: Path) -> Any:
    """A finished run with another reader."""
    other = replace(line, results=tmp_path / "other", overrides=("reader=extractive",))
    other.finished()
    return other


def test_another_runs_records_are_refused_by_name(
    done: Any, other: Any, undisturbed: bytes
) -> None:
    theirs = other.log.read_bytes()
    done.log.write_bytes(theirs)
    code, said = done.said_here()
    assert code == 0
    assert f"{done.log}: line 1 (and 11 more) changed since this run wrote it" in said
    assert done.log.with_name("records.jsonl.set-aside").read_bytes() == theirs
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_record_of_an_unknown_question_is_refused_by_name(
    done: Any,
    undisturbed: bytes,
    change_records: Callable[[Path, Callable[[bytes], bytes]], None],
) -> None:
    lines = done.log.read_bytes().splitlines(keepends=True)
    name = json.loads(lines[0])["query_id"].encode()
    change_records(done.log.parent, lambda record: record.replace(name, b"q-of-nobody"))
    code, said = done.said_here()
    assert code == 0
    assert (
        f"{done.log}: line 1 answers 'q-of-nobody', which is not a question of these data" in said
    )
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_second_line_of_60_mb_is_refused_by_name(done: Any, undisturbed: bytes) -> None:
    first = json.loads(done.log.read_bytes().splitlines()[0])
    with done.log.open("ab") as log:
        log.write(json.dumps({**first, "answer": "no " * 20_000_000}).encode() + b"\n")
    code, said = done.said_here()
    assert code == 0
    assert f"{done.log}: line 13 changed since this run wrote it" in said
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_manifest_of_another_run_is_refused_by_name(
    done: Any, other: Any, undisturbed: bytes
) -> None:
    manifest = done.log.with_name("manifest.json")
    shutil.copy(other.log.with_name("manifest.json"), manifest)
    code, said = done.said_here()
    assert code == 0
    assert f"{manifest}: it is the manifest of run" in said
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed
