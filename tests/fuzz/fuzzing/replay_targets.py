"""Fuzz resumes and replays of a run: a resume asks for what is missing, a replay asks nobody.

A small run with a model, its records and its call store, is made once; each input changes some of
their bytes or rows.
"""

import json
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from fuzzing.call_targets import COLUMNS, OTHERS, changed_store, column_value
from fuzzing.data_targets import folder
from fuzzing.harness import Target
from fuzzing.mutation import changed_bytes, changed_document, json_bytes

from remem.errors import AlteredError, CallStoreError, ReplayMissError, StopRunError
from remem.files.line_log import summed
from remem.llm.call_store import CallStore
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import Endpoint, EndpointReply
from remem.llm.replay import KEY, OUTCOME, REPLY, ReplayEndpoint, reply_sum
from remem.prompts.library import own_library
from remem.protocols import ChatReply, ChatRequest
from remem.readers.direct import DirectReader
from remem.run.experiment import answer_question
from remem.run.question_record import Recorder
from remem.run.store import MANIFEST, RECORDS, SUM, TIMINGS, open_run, read_records
from remem.types import Evidence, Gold, History, Passage, Query, Question, Record, Usage

RUN = "0123456789ab"
ANSWERS = ("Kres", "Holm", "2 June 2023")
QUESTIONS = tuple(
    Question(Query(f"q{at}", "h", at, f"Which is number {at}?"), Gold((answer,), "1"))
    for at, answer in enumerate(ANSWERS)
)
REJECTED = "I would need to see more of it before I can tell; there are many that it could be here."
"""The first reply to the last question; the second one can be read."""
ERRORS = ("ModelUnavailableError: ", "UnusableReplyError: ")
CALLS = "calls.sqlite"
WAL, NO_WAL = b"\2\2", b"\1\1"


class Knowing:
    """An endpoint that always gives the same reply to the same request."""

    kind = "listed-chat"
    model = "m"
    settings: Mapping[str, Any] = {"temperature": 0}
    max_output_tokens = 100
    address = ""

    def send(self, request: ChatRequest) -> EndpointReply:
        asked = "".join(message.content for message in request.messages)
        [at] = (at for at, one in enumerate(QUESTIONS) if one.query.text in asked)
        is_first = REJECTED not in asked
        text = REJECTED if at == len(ANSWERS) - 1 and is_first else f"Answer: {ANSWERS[at]}"
        return EndpointReply(ChatReply(text, (), truncated=False, usage=Usage(1, 10 + at, 2)), 0.25)

    def stop(self, reason: StopRunError) -> None: ...


class Remembering:
    """A memory that has one passage."""

    def index(self, history: History) -> None: ...

    def recall(self, query: Query) -> Evidence:
        return Evidence(passages=(Passage("p1", f"of {query.text}", None, ("D1:1",)),))


class Left(NamedTuple):
    """Changed files of a run and its call store, by name; forged ones have right checksums."""

    files: dict[str, bytes]
    is_forged: bool


class Unlimited(CallStore):
    """A call store with the further methods that a chat model needs, so that it can be closed."""

    def reserve(self, most: Usage) -> float:
        return 0.0

    def settle(self, reserved: float, used: Usage) -> None: ...

    def locked(self, key: str) -> AbstractContextManager[None]:
        return nullcontext()


def _answered(endpoint: Endpoint) -> tuple[Record, ...]:
    """Answer the questions that have no record yet, like `run_experiment`; return all records."""
    with closing(Unlimited(_place() / CALLS)) as calls:
        return _recorded(endpoint, calls)


def _recorded(endpoint: Endpoint, calls: Unlimited) -> tuple[Record, ...]:
    model = StoredChatModel(
        endpoint=endpoint,
        store=calls,
        attempts=2,
        repeat=0,
        budget_dollars=None,
        prices="",
    )
    reader = DirectReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_direct.v1",
        items_shown=5,
        characters_shown=100,
        answer_separator="commas",
    )
    memory, recorder = Remembering(), Recorder("m", "own")
    with open_run(_place() / "run", RUN) as store:
        store.set_aside_unknown({item.query.id for item in QUESTIONS})
        store.write_manifest({**store.read_manifest(), "fingerprint": RUN})
        for question in store.pending(QUESTIONS):
            store.append(*answer_question(memory, reader, question, recorder))
        return store.write_canonical()


def _place() -> Path:
    return folder() / "answered"


class Whole(NamedTuple):
    """The files of the finished run, by name, and its records."""

    files: Mapping[str, bytes]
    records: tuple[Record, ...]


@cache
def whole() -> Whole:
    records = _answered(Knowing())
    assert tuple(record.answer for record in records) == ANSWERS
    with closing(sqlite3.connect(_place() / CALLS)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    files = {name: (_place() / "run" / name).read_bytes() for name in (MANIFEST, RECORDS, TIMINGS)}
    return Whole({**files, CALLS: (_place() / CALLS).read_bytes()}, records)


def _restored(files: Mapping[str, bytes]) -> None:
    """Write the finished run with these files changed; an empty file is left out."""
    everything = {**whole().files, **files}
    shutil.rmtree(_place())
    (_place() / "run").mkdir(parents=True)
    for name, content in everything.items():
        if content:
            (_place() / ("" if name == CALLS else "run") / name).write_bytes(content)


def _left(rng: Random) -> Left:
    """Return what a resume finds: lost or changed records, and mostly a changed call store too."""
    changed, is_forged = _calls(rng) if rng.random() < 0.7 else (whole().files[CALLS], False)
    files = {CALLS: changed, RECORDS: _records(rng)}
    if rng.random() < 0.2:
        files[MANIFEST] = changed_bytes(rng, whole().files[MANIFEST])
    if rng.random() < 0.1:
        files[TIMINGS] = changed_bytes(rng, whole().files[TIMINGS])
    if rng.random() < 0.1:
        files[RECORDS], is_forged = _forged_records(rng), True
    return Left(files, is_forged)


def _records(rng: Random) -> bytes:
    """Return a log of records that is cut, lacks lines, or has changed bytes."""
    content = whole().files[RECORDS]
    kind = rng.randrange(4)
    if kind == 0:
        return content[: rng.randrange(len(content))]
    if kind == 1:
        return b"".join(line for line in content.splitlines(True) if rng.random() < 0.5)
    return b"" if kind == 2 else changed_bytes(rng, content)


def _forged_records(rng: Random) -> bytes:
    """Return a log of records with changed structure and right checksums."""

    lines = []
    for line in whole().files[RECORDS].splitlines():
        record = {name: value for name, value in json.loads(line).items() if name != SUM}
        content = changed_document(rng, record) if rng.random() < 0.5 else json_bytes(rng, record)
        lines.append(summed(content.replace(b"\n", b" "), RUN) + b"\n")
    return b"".join(lines)


def _calls(rng: Random) -> tuple[bytes, bool]:
    """Return a call store with changed bytes or rows, and whether its checksums were updated."""
    content = whole().files[CALLS]
    if rng.random() < 0.5:
        return changed_store(rng, content), False
    is_forged = rng.random() < 0.2
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(_with_journal(content, NO_WAL))
        for _ in range(rng.choice((1, 1, 2))):
            _change_row(rng, connection, is_forged=is_forged)
        return _with_journal(connection.serialize(), WAL), is_forged


def _with_journal(content: bytes, versions: bytes) -> bytes:
    """Set the journal mode in the header of an SQLite file; in memory there is no WAL."""
    return content[:18] + versions + content[20:]


def _change_row(rng: Random, connection: sqlite3.Connection, *, is_forged: bool) -> None:
    rows = [row for (row,) in connection.execute("SELECT id FROM calls")]
    if not rows:
        return
    row, kind = rng.choice(rows), rng.randrange(6)
    if kind == 0:
        connection.execute("DELETE FROM calls WHERE id = ?", (row,))
    elif kind == 1:  # the reply to another call
        other = rng.choice(rows)
        listed = ("key", "text", "completion_tokens")
        for name in rng.sample(listed, rng.choice((1, 2))):
            found = f"(SELECT {name} FROM calls WHERE id = ?)"
            connection.execute(f"UPDATE calls SET {name} = {found} WHERE id = ?", (other, row))
    else:
        # Only what an error is, not what became of a reply, is in its sum.
        name = rng.choice([column for column in (*COLUMNS, *OTHERS) if column != "outcome"])
        value = column_value(rng, name)
        text = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        connection.execute(f"UPDATE calls SET {name} = {text} WHERE id = ?", (value, row))
    if is_forged:
        _sum_rows(connection)


def _sum_rows(connection: sqlite3.Connection) -> None:
    connection.text_factory = bytes
    columns = f"{KEY}, {OUTCOME}, {', '.join(REPLY)}"
    for row, *found in connection.execute(f"SELECT id, {columns} FROM calls").fetchall():
        connection.execute("UPDATE calls SET sum = ? WHERE id = ?", (reply_sum(*found), row))
    connection.text_factory = str


def resume(left: Left) -> None:
    """Resume the run: its records must equal the original ones, whatever was left of it."""
    _restored(left.files)
    _compare(_answered(Knowing()), is_forged=left.is_forged)


def replay(left: Left) -> None:
    """Answer from the call store alone: the records stay the same, or a call is missing."""
    _restored(left.files)
    _compare(_answered(ReplayEndpoint(recorded=Knowing())), is_forged=left.is_forged)


def _compare(records: Sequence[Record], *, is_forged: bool) -> None:
    assert read_records(_place() / "run") == records
    for record in records:
        assert record.status == "ok" or is_forged, record.error
        assert record.status == "ok" or record.error.startswith(ERRORS), record.error
    assert is_forged or tuple(records) == whole().records


def _replayed(rng: Random) -> Left:
    """Return what a replay finds: no records, and a changed call store."""
    changed, is_forged = _calls(rng)
    return Left({CALLS: changed, **dict.fromkeys((RECORDS, MANIFEST, TIMINGS), b"")}, is_forged)


CLEAR = (ValueError, AlteredError, CallStoreError, ReplayMissError)
TARGETS = (
    Target("stores: resume", _left, resume, CLEAR),
    Target("stores: replay", _replayed, replay, CLEAR),
)
