import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remem.bundle.layout import Call
from remem.bundle.replies_and_vectors import CallSource, restore_calls, stored_calls
from remem.errors import CallStoreError
from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

CALLS = (NativeCall("find", '{"q": "é"}'), NativeCall("look", ""))
REPLY = ChatReply("Rex", CALLS, truncated=False, usage=Usage(1, 20, 3))
AT = datetime(2026, 1, 2, tzinfo=UTC)
A, B = "a" * 64, "b" * 64


def sent(key: str) -> Sent:
    return Sent(key, "read", "SECRET REQUEST", 0.25, 0.5, "http://ann:pw@host/v1?key=k", AT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = CallStore(tmp_path / "calls.sqlite")
    store.keep_error(sent(A), "503")
    store.keep_reply(sent(B), replace(REPLY, truncated=True))
    first = store.keep_reply(sent(A), REPLY)
    store.mark(first, "rejected", "no answer in it")
    store.keep_reply(sent(A), replace(REPLY, text="Tom"))
    store.close()
    return store.path


def test_the_first_reply_to_each_call_travels_without_its_request(path: Path) -> None:
    first, second = stored_calls(path)
    assert first == Call(
        A, "read", "Rex", CALLS, False, 1, 20, 3, 0.25, 0.5, "http://host/v1",
        "2026-01-02T00:00:00.000+00:00",
    )  # fmt: skip
    assert (second.key, second.truncated) == (B, True)
    assert "SECRET" not in str((first, second))
    source = CallSource(path)
    assert source.find(A) == first
    assert source.find("c" * 64) is None
    source.close()


def test_a_restored_store_serves_the_same_and_leaves_judging_to_the_parsers(
    path: Path, tmp_path: Path
) -> None:
    restore_calls(tmp_path / "new.sqlite", stored_calls(path))
    assert list(stored_calls(tmp_path / "new.sqlite")) == list(stored_calls(path))
    store = CallStore(tmp_path / "new.sqlite")
    received = store.received(A)
    assert received is not None
    assert received.reply == REPLY
    assert store.outcomes() == {("read", "ok"): 1, ("read", "truncated"): 1}
    store.close()


@pytest.mark.parametrize("lacking", [("sum",), ("model", "remarks"), ("sum", "model", "remarks")])
def test_a_store_of_an_earlier_version_is_read_and_left_as_it_is(
    path: Path, lacking: tuple[str, ...]
) -> None:
    whole = list(stored_calls(path))
    with closing(sqlite3.connect(path)) as connection:
        for column in lacking:
            connection.execute(f"ALTER TABLE calls DROP COLUMN {column}")
    content = path.read_bytes()
    assert list(stored_calls(path)) == whole
    assert path.read_bytes() == content


def test_a_store_in_a_folder_that_cannot_be_written_to_is_read_without_a_file_next_to_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = set(path.parent.iterdir())
    source = CallSource(path)
    assert source.find(B) is not None
    assert set(path.parent.iterdir()) == before
    source.close()


def test_an_altered_reply_is_not_packed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE calls SET text = 'Max' WHERE text = 'Rex'")
        connection.commit()
    source = CallSource(path)
    with pytest.raises(CallStoreError, match=f"the reply to call {A} changed since it was stored"):
        source.find(A)
    source.close()


def test_a_damaged_store_is_named(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(CallStoreError, match=f"{path} cannot be read: file is not a database"):
        CallSource(path)
    with pytest.raises(CallStoreError, match=f"{path} cannot be read"):
        list(stored_calls(path))


def test_a_store_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no call store"):
        CallSource(tmp_path / "none.sqlite")
    assert list(stored_calls(tmp_path / "none.sqlite")) == []
    assert not (tmp_path / "none.sqlite").exists()
