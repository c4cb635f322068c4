"""The call store: what it keeps and returns, with threads, processes, kills and damage."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remem.errors import CallStoreError
from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

Reply = Callable[..., ChatReply]

WRITER = """
import sys
from pathlib import Path
from remem.llm.call_store import CallStore, KeyLocks, Sent
from remem.protocols import ChatReply
from remem.types import Usage

store, name, count = CallStore(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(count):
    reply = ChatReply(f"{name} {number} " + "x" * 5000, (), False, Usage(1, 10, 2))
    store.keep_reply(Sent(f"{name}{number}", "read", "{}", 0.5), reply)
    print(number, flush=True)
"""
"""Keeps replies and says after each that it is committed."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


@pytest.fixture
def store(path: Path) -> CallStore:
    return CallStore(path)


def sent(key: str) -> Sent:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return Sent(key, "read", '{"a":1}', latency_seconds=0.5, at=at)


def served(store: CallStore, key: str) -> ChatReply | None:
    received = store.received(key)
    return received.reply if received is not None and received.outcome == "ok" else None


def columns(path: Path, names: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {names} FROM calls ORDER BY id").fetchall()


def test_everything_of_a_call_is_kept(store: CallStore, path: Path, reply: Reply) -> None:
    store.keep_reply(sent("k"), reply("text"))
    store.keep_error(sent("l"), "429 for the last time")
    store.keep_reply(sent("m"), reply("tex", truncated=True))
    names = "key, stage, request, outcome, text, finish_reason, prompt_tokens, completion_tokens"
    assert columns(path, names) == [
        ("k", "read", '{"a":1}', "ok", "text", "stop", 10, 2),
        ("l", "read", '{"a":1}', "error", "", "", 0, 0),
        ("m", "read", '{"a":1}', "truncated", "tex", "length", 10, 2),
    ]
    (_, error, _) = columns(path, "error, latency_seconds, time_utc")
    assert error == ("429 for the last time", 0.5, "2026-01-02T03:04:05.000+00:00")


@given(st.text(st.characters(exclude_categories=())))
@example("a\ud83db")
def test_any_text_is_kept_with_question_marks_for_halves_of_surrogate_pairs(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    store = CallStore(tmp_path_factory.mktemp("any") / "calls.sqlite")
    calls = (NativeCall("t", text), NativeCall("u", "no JSON"))
    came = ChatReply(text, calls, truncated=False, usage=Usage())
    kept = store.keep_reply(sent("k"), came).reply
    assert served(store, "k") == kept
    store.close()
    whole = "".join("?" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
    assert (kept.text, kept.tool_calls) == (whole, (NativeCall("t", whole), calls[1]))


def test_a_new_file_is_opened_many_times_at_once(path: Path) -> None:
    together = threading.Barrier(16)

    def opened(_: int) -> CallStore:
        together.wait(timeout=30)
        return CallStore(path)

    with ThreadPoolExecutor(16) as pool:
        stores = list(pool.map(opened, range(16)))
    assert [served(store, "k") for store in stores] == [None] * 16


def test_a_kill_in_the_middle_of_writing_loses_no_committed_reply(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path), "k", "1000000"]
    for reported in (1, 100):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            said = [writer.stdout.readline() for _ in range(reported)]
            writer.kill()
        store = CallStore(path)
        assert int(said[-1]) == reported - 1
        assert all(served(store, f"k{number}") is not None for number in range(reported))
        assert store._file.rows("PRAGMA integrity_check") == [("ok",)]
        store.close()


def altered(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE calls SET {change}")
        connection.commit()


@pytest.mark.parametrize(
    "change",
    [
        "text = 'tfxt'",
        "text = CAST(x'74ff7874' AS TEXT)",
        "text = 'text[', tool_calls = ']'",
        "finish_reason = 'length'",
        "completion_tokens = 3",
        "outcome = 'oc'",
        "sum = NULL",
    ],
)
def test_an_altered_reply_is_named_set_aside_and_never_served(
    change: str, store: CallStore, path: Path, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    store.keep_reply(sent("k"), reply("text"))
    altered(path, change)
    assert store.received("k") is None
    assert f"{path}: row 1, the reply to call k, changed since it was stored" in caplog.text
    store.keep_reply(sent("k"), reply("again"))
    assert served(store, "k") == reply("again")
    assert len(columns(path, "id")) == 2  # nothing is removed


def test_what_an_error_came_with_never_becomes_a_reply(store: CallStore, path: Path) -> None:
    store.keep_error(sent("k"), "no JSON", response="<html>")
    altered(path, "outcome = 'ok'")
    assert store.received("k") is None


def test_of_two_replies_the_whole_one_is_served_and_none_under_another_key(
    store: CallStore, path: Path, reply: Reply
) -> None:
    for text in ("first", "second"):
        store.keep_reply(sent("k"), reply(text))
    altered(path, "text = 'fjrst' WHERE id = 1")
    assert served(store, "k") == reply("second")
    altered(path, "key = 'j'")
    assert store.received("j") is None


def test_an_index_that_points_to_another_row_is_made_again_and_the_row_stays(
    store: CallStore, path: Path, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    for key in ("a" * 40, "b" * 40, "c" * 40):
        store.keep_reply(sent(key), reply(key[0]))
    store.close()
    in_the_index = b"b" * 40 + b"\x02"  # a key, then the number of its row
    content = path.read_bytes()
    assert content.count(in_the_index) == 1
    path.write_bytes(content.replace(in_the_index, b"b" * 40 + b"\x03"))
    again = CallStore(path)
    assert served(again, "b" * 40) == reply("b")
    assert served(again, "c" * 40) == reply("c")
    assert "the index of this call store was changed" in caplog.text


def drop(path: Path, *lacking: str) -> None:
    """Drop columns, so that the store looks like one of an earlier version."""
    with closing(sqlite3.connect(path)) as connection:
        for column in lacking:
            connection.execute(f"ALTER TABLE calls DROP COLUMN {column}")


SUM = bytes.fromhex("AD9D73D89D07A714FC8BB47324338D41")
"""The checksum that a version without models and remarks stored with the first reply below."""


@pytest.mark.parametrize("lacking", [("sum",), ("model", "remarks"), ("sum", "model", "remarks")])
def test_a_store_of_an_earlier_version_gets_its_columns_and_serves_all_it_has(
    store: CallStore, path: Path, reply: Reply, lacking: tuple[str, ...]
) -> None:
    store.keep_reply(sent("k"), reply("text"))
    store.keep_error(sent("l"), "503")
    store.close()
    before = columns(path, "id, key, text, sum, model, remarks")
    assert before[0][3] == SUM
    drop(path, *lacking)
    with ThreadPoolExecutor(4) as pool:  # whoever is first adds them, and the others wait
        stores = list(pool.map(CallStore, [path] * 4))
    assert [served(store, "k") for store in stores] == [reply("text")] * 4
    assert columns(path, "id, key, text, sum, model, remarks") == before
    remarked = replace(reply("new"), model="local-model", remarks=("was unusual",))
    stores[0].keep_reply(sent("l"), remarked)
    assert served(stores[1], "l") == remarked


@pytest.mark.parametrize(
    "change",
    [
        "tool_calls = '[1]'",
        """tool_calls = '[{"name": 1, "arguments": "{}"}]'""",
        "text = CAST(x'ff' AS TEXT)",
        "completion_tokens = -1",
    ],
)
def test_a_row_of_an_earlier_version_that_is_no_reply_is_set_aside(
    store: CallStore, path: Path, reply: Reply, change: str
) -> None:
    store.keep_reply(sent("k"), reply("text"))
    store.close()
    altered(path, change)
    drop(path, "sum")
    upgraded = CallStore(path)
    assert served(upgraded, "k") is None
    assert columns(path, "outcome, error") == [
        ("error", "set aside: the row is not as it was stored")
    ]
    upgraded.keep_reply(sent("k"), reply("again"))
    assert served(upgraded, "k") == reply("again")


def damage_by_foreign_bytes(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever its name says" * 100)


def damage_by_truncation(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])


def damage_by_overwriting(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(bytes(content))


def damage_in_the_schema(path: Path) -> None:
    path.write_bytes(
        path.read_bytes().replace(b"outcome TEXT NOT NULL", b"outcome TEXT NOT \xffULL")
    )


@pytest.mark.parametrize(
    "damage",
    [damage_by_foreign_bytes, damage_by_truncation, damage_by_overwriting, damage_in_the_schema],
)
def test_a_damaged_file_is_named(damage: Callable[[Path], None], path: Path, reply: Reply) -> None:
    whole = CallStore(path)
    for number in range(20):
        whole.keep_reply(sent(f"k{number}"), reply("x" * 5000))
    whole.close()
    damage(path)
    with pytest.raises(CallStoreError, match=r"calls\.sqlite cannot be used: .*move it away"):
        served(CallStore(path), "k3")


def test_a_damaged_file_that_is_put_back_whole_is_served(
    store: CallStore, path: Path, reply: Reply
) -> None:
    store.keep_reply(sent("k"), reply("text"))
    store.close()
    whole = path.read_bytes()
    for damage in (damage_in_the_schema, damage_by_foreign_bytes):
        damage(path)
        with pytest.raises(CallStoreError, match="move it away"):
            served(CallStore(path), "k")
        path.write_bytes(whole)
    assert served(CallStore(path), "k") == reply("text")
