"""Records of another run are refused by name, and never scored."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


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
    assert f"{done.log}: line 1 answers 'q-of-nobody', which is not a question of this data" in said
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed


def test_a_second_line_of_60_mb_is_refused_by_name(done: Any, undisturbed: bytes) -> None:
    first = json.loads(done.log.read_bytes().splitlines()[0])
    with done.log.open("ab") as log:
        log.write(json.dumps({**first, "answer": "no " * 20_000_000}).encode() + b"\n")
    code, said = done.said_here()
    assert code == 0
    assert f"{done.log}: line 13 changed since this run wrote it" in said
    assert done.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed
