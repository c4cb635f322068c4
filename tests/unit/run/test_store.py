"""The folder of a run survives kills, refuses damage and a second writer, and keeps every text."""

import fcntl
import json
import random
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RunInUseError
from remem.run.store import (
    CANONICAL,
    RECORDS,
    TIMINGS,
    Timing,
    open_run,
    read_manifest,
    read_records,
)
from remem.types import Gold, Query, Question, Record, Retrieved, StepRecord


def record(name: str, *, history: str = "h", index: int = 0, answer: str = "yes") -> Record:
    gold = Gold(("yes",), "1")
    return Record(name, history, index, "Is it so?", gold, "ok", answer=answer)


def failed(name: str, **place: str | int) -> Record:
    return replace(record(name, **place), status="error", answer="", error="TimeoutError: slow")  # type: ignore[arg-type]


def write(folder: Path, *records: Record) -> None:
    with open_run(folder) as store:
        for item in records:
            store.append(item, Timing(item.query_id, 0.1, 0.2))


def three_records(folder: Path) -> None:
    write(folder, *(record(f"q{number}", index=number) for number in (1, 2, 3)))


def question(name: str) -> Question:
    return Question(Query(name, "h", 0, "Is it so?"), Gold(("yes",), "1"))


def test_the_last_line_of_a_question_wins(tmp_path: Path) -> None:
    write(tmp_path, record("q1", answer="no"), record("q1", answer="yes"))
    assert [item.answer for item in read_records(tmp_path)] == ["yes"]
    assert len((tmp_path / RECORDS).read_bytes().splitlines()) == 2


def test_a_question_in_error_is_pending_and_an_answered_one_is_not(tmp_path: Path) -> None:
    write(tmp_path, record("q1"), failed("q2"))
    asked = [question(name) for name in ("q1", "q2", "q3")]
    with open_run(tmp_path) as store:
        assert store.pending(asked) == asked[1:]
        store.append(record("q2"), Timing("q2", 0.1, 0.2))
        assert store.pending(asked) == asked[2:]
        store.append(failed("q1"), Timing("q1", 0.1, 0.2))  # it failed when it was asked again
        assert store.pending(asked) == [asked[0], asked[2]]


@pytest.mark.parametrize("left", [1, 40, -1])
def test_a_line_that_a_kill_cut_short_is_dropped(tmp_path: Path, left: int) -> None:
    write(tmp_path, record("q1"))
    line = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(line + line[:left])
    (tmp_path / TIMINGS).write_bytes(b'{"query_id"')
    assert read_records(tmp_path) == (record("q1"),)
    write(tmp_path, record("q2", index=1))
    assert read_records(tmp_path) == (record("q1"), record("q2", index=1))
    assert [json.loads(row)["query_id"] for row in (tmp_path / TIMINGS).open()] == ["q2"]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b'{"query_id": "q2", "index": 1}'])
def test_a_damaged_line_is_named_set_aside_and_asked_again(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    three_records(tmp_path)
    lines = (tmp_path / RECORDS).read_bytes().splitlines()
    (tmp_path / RECORDS).write_bytes(b"\n".join([lines[0], damage, lines[2]]) + b"\n")
    with pytest.raises(ValueError, match=r"records\.jsonl:2: the line changed since"):
        read_records(tmp_path)
    with open_run(tmp_path) as store:
        assert store.pending([question("q1"), question("q2"), question("q3")]) == [question("q2")]
    assert "records.jsonl: line 2 changed since this run wrote it" in caplog.text
    assert (tmp_path / RECORDS).read_bytes() == b"\n".join([lines[0], lines[2]]) + b"\n"
    assert (tmp_path / f"{RECORDS}.set-aside").read_bytes() == damage + b"\n"


@pytest.mark.parametrize("seed", range(6))
def test_a_flipped_bit_costs_at_most_the_record_that_it_is_in(tmp_path: Path, seed: int) -> None:
    three_records(tmp_path)
    content = bytearray((tmp_path / RECORDS).read_bytes())
    whole = content.splitlines()
    ends = [at for at, byte in enumerate(content) if byte == 10]
    draw = random.Random(seed)
    at = draw.choice(ends) if seed < 3 else draw.randrange(len(content))
    content[at] ^= 1 << draw.randrange(8)
    (tmp_path / RECORDS).write_bytes(content)
    with open_run(tmp_path):
        pass
    kept = (tmp_path / RECORDS).read_bytes().splitlines()
    assert set(kept) <= {bytes(line) for line in whole}
    assert len(kept) >= (3 if at in ends else 2)


def test_a_flipped_end_of_the_last_line_is_no_line_that_is_being_written(tmp_path: Path) -> None:
    three_records(tmp_path)
    content = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(content[:-1] + b"\x0b")
    with pytest.raises(ValueError, match=r"records\.jsonl:3: the line changed since"):
        read_records(tmp_path)
    with open_run(tmp_path):
        pass
    assert (tmp_path / RECORDS).read_bytes() == content


def test_another_runs_record_is_refused_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("ours", "theirs"):
        with open_run(tmp_path / name, name) as store:
            store.write_manifest({"fingerprint": name})
            store.append(record("q1", answer=name), Timing("q1", 0.1, 0.2))
    shutil.copy(tmp_path / "theirs" / RECORDS, tmp_path / "ours")
    with pytest.raises(ValueError, match=r"ours/records\.jsonl:1: the line changed since"):
        read_records(tmp_path / "ours")
    with open_run(tmp_path / "ours", "ours") as store:
        assert store.records() == ()
    assert "line 1 changed since this run wrote it" in caplog.text
    assert read_records(tmp_path / "theirs") == (record("q1", answer="theirs"),)


def test_another_runs_folder_is_set_aside_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_run(tmp_path, "theirs") as store:
        store.write_manifest({"fingerprint": "theirs"})
        store.append(record("q1"), Timing("q1", 0.1, 0.2))
    with open_run(tmp_path, "ours") as store:
        assert store.records() == ()
        assert store.read_manifest() == {}
    assert "it is the manifest of run 'theirs', expected run 'ours'" in caplog.text


def test_a_record_of_no_known_question_is_set_aside_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    three_records(tmp_path)
    with open_run(tmp_path) as store:
        store.set_aside_unknown({"q1", "q3"})
        assert [item.query_id for item in store.records()] == ["q1", "q3"]
        store.append(record("q4", index=4), Timing("q4", 0.1, 0.2))
    assert "line 2 answers 'q2', which is not a question of this data" in caplog.text
    assert [item.query_id for item in read_records(tmp_path)] == ["q1", "q3", "q4"]


def test_records_of_an_earlier_version_are_read_and_get_sums(tmp_path: Path) -> None:
    three_records(tmp_path)
    with_sums = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(re.sub(rb',"sum":"[0-9a-f]{16}"', b"", with_sums))
    (tmp_path / "manifest.json").write_text(f'{{"fingerprint": "{tmp_path.name}"}}')
    assert len(read_records(tmp_path)) == 3
    with open_run(tmp_path):
        pass
    assert (tmp_path / RECORDS).read_bytes() == with_sums


def test_records_without_sums_in_a_run_with_sums_are_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    three_records(tmp_path)
    with open_run(tmp_path) as store:
        store.write_manifest({"fingerprint": tmp_path.name})
    with_sums = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(re.sub(rb',"sum":"[0-9a-f]{16}"', b"", with_sums))
    with pytest.raises(ValueError, match=r"records\.jsonl:1: the line changed since"):
        read_records(tmp_path)
    with open_run(tmp_path) as store:
        assert store.records() == ()
    assert "line 1 (and 2 more)" in caplog.text


def test_a_second_writer_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    refused = pytest.raises(RunInUseError, match="another process")
    with open_run(tmp_path), refused, open_run(tmp_path):
        pass
    write(tmp_path, record("q1"))


def test_a_log_that_another_process_replaced_just_before_the_lock_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_records(tmp_path)
    lock = fcntl.flock

    def replaced_first(file: BinaryIO, operation: int) -> None:
        shutil.copy(tmp_path / RECORDS, tmp_path / "new")
        (tmp_path / "new").replace(tmp_path / RECORDS)
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", replaced_first)
    with pytest.raises(RunInUseError, match="another process"), open_run(tmp_path):
        pass
    monkeypatch.undo()
    write(tmp_path, record("q4", index=4))
    assert len(read_records(tmp_path)) == 4


def test_canonical_bytes_do_not_depend_on_the_order_of_answering(tmp_path: Path) -> None:
    records = [
        record("q1", history="b", index=0),
        record("q2", history="a", index=10),
        record("q9", history="a", index=9),
    ]
    with open_run(tmp_path / "one") as store:
        for one in records:
            store.append(one, Timing(one.query_id, 0.1, 0.2))
        store.write_canonical()
    with open_run(tmp_path / "other") as store:
        for item in (failed("q9", history="a", index=9), *reversed(records)):
            store.append(item, Timing(item.query_id, 3.0, 4.0))
        store.write_canonical()
    canonical = (tmp_path / "one" / CANONICAL).read_bytes()
    assert canonical == (tmp_path / "other" / CANONICAL).read_bytes()
    assert [json.loads(line)["query_id"] for line in canonical.splitlines()] == ["q9", "q2", "q1"]


def test_text_that_is_no_unicode_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with open_run(tmp_path) as store:
        store.append(record("q1"), Timing("q1", 0.1, 0.2))
        with pytest.raises(ValueError, match="surrogates not allowed"):
            store.append(record("q2", answer="\ud83d"), Timing("q2", 0.1, 0.2))
        assert store.records() == read_records(tmp_path) == (record("q1"),)  # already on disk


def test_a_damaged_manifest_is_named_with_what_to_do(tmp_path: Path) -> None:
    for damage in (b"", b"[1]", b'{"a": 1', b"[" * 5000, b"\xff"):
        (tmp_path / "manifest.json").write_bytes(damage)
        with pytest.raises(ValueError, match=r"manifest.json: .* run the same command again"):
            read_manifest(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_a_manifest_with_a_flipped_bit_is_set_aside_and_the_answers_stay(
    tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    written = {"fingerprint": "f", "questions": 3, "index_usage": {"h": {"calls": 12}}}
    with open_run(tmp_path, "f") as store:
        store.append(record("q1"), Timing("q1", 0.1, 0.2))
        store.write_manifest(written)
    content = bytearray((tmp_path / "manifest.json").read_bytes())
    draw = random.Random(seed)
    at = draw.randrange(content.index(b',"sum"'))
    content[at] ^= 1 << draw.randrange(8)
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"manifest\.json: (not|changed) "):
        read_manifest(tmp_path)
    with open_run(tmp_path, "f") as store:
        assert store.records() == (record("q1"),)
        assert store.read_manifest() == {}
    assert "it was moved to manifest.json.set-aside" in caplog.text
    assert (tmp_path / "manifest.json.set-aside").read_bytes() == content


ids = st.text(max_size=8)
arguments = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.integers(min_value=10**300, max_value=10**4000)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)
steps = st.builds(
    StepRecord,
    tool=ids,
    arguments=arguments,
    thought=st.text(),
    message=st.text(),
    seen=st.lists(ids, max_size=3).map(tuple),
    count=st.none() | st.integers(min_value=0),
    error=st.booleans(),
)
golds = st.builds(
    Gold,
    answers=st.lists(st.text(), min_size=1, max_size=3).map(tuple),
    category=ids,
    answerable=st.booleans(),
    evidence=st.lists(ids, max_size=3).map(tuple),
    unresolved=st.lists(ids, max_size=2).map(tuple),
    group=ids,
)
written = st.builds(
    Record,
    query_id=ids,
    history_id=ids,
    index=st.integers(min_value=0),
    question=st.text(),
    gold=golds,
    status=st.sampled_from(["ok", "error"]),
    answer=st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.just("\u2028\x85\r\n\0"),
    error=st.text(),
    retrieved=st.lists(
        st.builds(Retrieved, id=ids, source=st.lists(ids, max_size=2).map(tuple)), max_size=3
    ).map(tuple),
    steps=st.lists(steps, max_size=2).map(tuple),
    proposed_answer=st.none() | st.text(),
    context_tokens=st.integers(min_value=0, max_value=10**12),
    llm=ids,
)


@given(st.lists(written, min_size=1, max_size=3, unique_by=lambda one: one.query_id))
def test_every_record_reads_back_as_it_was(records: list[Record]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), *records)
        back = {item.query_id: item for item in read_records(Path(folder))}
    assert back == {item.query_id: item for item in records}
