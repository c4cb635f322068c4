"""A run of 200 questions over HTTP, on a server that answers nearly all in an unusual way.

Three times the server also fails in a way that stops the run. The same command then resumes it.
"""

import html
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from remem.run.store import read_records
from remem.types import Record

NO_ANSWER = r"gave no usable reply \(attempts: \d\)|is loading"
PARTS = Path(__file__).parents[1] / "parts"
QUESTIONS, ANSWERED = 200, 190
"""All questions, and those whose way leads to an answer: all but five of each of two ways."""
ASKED = ("method=bm25_messages", "reader=direct", "llm=openai_compatible", "runner=threads")
IMPATIENT = ("llm.build.endpoint.tries=2", "llm.build.attempts=2")
NOTES = (
    (17, "had the channels of the harmony format, of which only the final one is read", "q1"),
    (28, "had thoughts next to the answer, which are no part of it", "q2"),
    (6, "had their text in parts, which were joined", "q5"),
    (12, "had the answer in a box, which was taken out of it", "q6"),
    (6, "had the finish reason 'STOP', read as 'stop'", "q9"),
    (6, "had the finish reason 'eos_token', read as 'stop'", "q10"),
    (6, "had the finish reason 'end_turn', read as 'stop'", "q11"),
    (12, "came without token counts, so their tokens are unknown", "q12"),
    (6, "were sent by 'tiny-model', not by 'local-model'", "q14"),
    (5, "had thoughts and no answer", "q34"),
)
"""The remarks, each with its number of replies and its first question, by hand from the ways.

There are six questions of each of the first 20 ways, and five of each of the other 16.
"""
Remem = Callable[..., Any]

pytestmark = pytest.mark.app("own_log")


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the command: how it ended, and the records and server counts at that time."""

    ended: Any
    records: Mapping[str, Record]
    answers: Counter[str]
    completions: int


@dataclass(frozen=True, slots=True)
class Course:
    """A command, and all its starts until the last one is not stopped by the server."""

    folder: Path
    command: tuple[str, ...]
    server: Any
    places: Sequence[Any]
    remem: Remem
    starts: list[Start] = field(default_factory=list)

    @property
    def finished(self) -> Start:
        return self.starts[3]

    @property
    def run_folder(self) -> Path:
        (manifest,) = self.folder.glob("results/runs/*/*/*/manifest.json")
        return manifest.parent

    def call(self, *words: str | Path) -> Any:
        return self.remem(self.folder, *words, data=self.folder / "data")

    def start(self) -> Start:
        ended = self.call("run", "dataset=own_log", *self.command)
        records = {record.query_id: record for record in read_records(self.run_folder)}
        counts = self.server.answers.copy(), self.server.completions
        return Start(ended, records, *counts)


@pytest.fixture(scope="module")
def servers() -> Iterator[ModuleType]:
    """The module tests/parts/misbehaving_server.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PARTS)
        import misbehaving_server

        yield misbehaving_server
    del sys.modules["misbehaving_server"]


@pytest.fixture(scope="module")
def course(
    servers: ModuleType, remem: Remem, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Course]:
    """Start the same command until the server no longer stops it; tests only read the result."""
    folder = tmp_path_factory.mktemp("course")
    places = servers.invented_places(QUESTIONS)
    write_data(folder / "data" / "own_log", places)
    with servers.MisbehavingServer(places, servers.KEY, servers.QUOTA, servers.CUT) as server:
        command = (*ASKED, *IMPATIENT, f"llm.build.endpoint.base_url={server.base_url}")
        course = Course(folder, command, server, places, remem)
        course.starts.extend(course.start() for _ in range(4))
        course.call("report", course.run_folder)
        yield course


def write_data(folder: Path, places: Sequence[Any]) -> None:
    """Write a message and a question for each place."""
    messages = [
        {"speaker": "Ann", "date": "2026-05-03", "text": f"{place.name} lives in {place.city}."}
        for place in places
    ]
    questions = [
        {"question": f"Where does {place.name} live?", "answer": place.city} for place in places
    ]
    folder.mkdir(parents=True)
    for name, rows in {"log": messages, "questions": questions}.items():
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def test_a_fault_that_every_call_would_meet_stops_the_run_with_its_reason_and_its_cure(
    course: Course,
) -> None:
    key, quota, cut, finished = (start.ended for start in course.starts)
    assert (key.code, quota.code, cut.code, finished.code) == (1, 4, 1, 3)
    assert "Incorrect API key provided" in key.err
    assert "llm.build.endpoint.key_variable (OPENAI_API_KEY)" in key.err
    assert "You exceeded your current quota (insufficient_quota)" in quota.err
    assert "The same command then continues where it stopped" in quota.err
    assert "it counts only 40 tokens" in cut.err
    assert "num_ctx" in cut.err
    assert "it asks only the failed questions again" in finished.err


def test_a_stopped_run_keeps_its_answers_and_asks_for_none_of_them_again(
    course: Course,
) -> None:
    key, quota, cut, finished = course.starts
    assert key.answers.total() < 20 <= quota.answers.total() < 50 <= cut.answers.total() < ANSWERED
    assert len(finished.records) == QUESTIONS
    for earlier, later in ((quota, cut), (cut, finished)):
        answered = {at: record for at, record in earlier.records.items() if record.status == "ok"}
        assert answered
        assert answered.items() <= later.records.items()
    assert Counter(finished.answers.values()) == {1: ANSWERED, 0: QUESTIONS - ANSWERED}


def test_each_answer_is_the_right_city_and_all_else_is_an_error_with_a_reason(
    course: Course, servers: ModuleType
) -> None:
    finished = course.finished
    ways = [servers.WAYS[at % len(servers.WAYS)] for at in range(QUESTIONS)]
    for way, place, record in zip(ways, course.places, finished.records.values(), strict=True):
        expected = ("error", "") if way in servers.NEVER else ("ok", place.city)
        assert (record.status, record.answer) == expected, way.name
        assert record.status == "ok" or re.search(NO_ANSWER, record.error)
    assert "│ 190/200 │ 100.0 [100.0, 100.0]" in finished.ended.out


def test_each_unusual_way_is_noted_once_with_its_count_and_its_first_place(
    course: Course,
) -> None:
    printed = course.finished.ended.out
    report = html.unescape((course.run_folder / "report.html").read_text(encoding="utf-8"))
    for note in notes(course.finished.completions):
        assert printed.splitlines().count(note) == 1
        assert report.count(note) == 1
    assert "replies could not be read; the model was asked again" in printed
    assert "replies came after responses that were no completions" in printed
    assert printed.count(" replies ") == len(NOTES) + 2


def notes(completions: int) -> list[str]:
    """Return the expected notes on a run with this number of replies."""
    return [
        f"{count} of {completions} replies {remark} (first: question {first})."
        for count, remark, first in NOTES
    ]


def test_tokens_that_no_server_counted_are_a_lower_bound(course: Course) -> None:
    finished = course.finished
    counted = finished.completions - 12
    tokens = f"at least {counted * 2_000:,} │ at least {counted * 10:,}"
    assert finished.ended.out.count(tokens) == 2  # of the stage, and of all


def test_a_fixed_server_is_asked_the_failed_questions_and_a_table_and_a_bundle_ask_nothing(
    course: Course,
) -> None:
    requests = course.server.requests.total()
    course.server.is_fixed = True
    fixed = course.start()
    assert fixed.ended.code == 0
    assert [record.answer for record in fixed.records.values()] == [
        place.city for place in course.places
    ]
    packed = course.call("bundle", "pack", course.run_folder, "--out", "one.remem")
    replayed = course.call("bundle", "replay", "one.remem")
    data = (f"data/own_log/{name}.jsonl" for name in ("log", "questions"))
    rows = ("--rows", "bm25_messages", "method.build.top_k=10", *course.command[1:])
    table = course.call("log", "table", *data, *rows)
    assert (table.code, packed.code, replayed.code) == (0, 0, 0)
    for note in notes(fixed.completions):
        assert table.out.count(f"BM25: {note}") == 1
    assert course.server.requests.total() == requests + QUESTIONS - ANSWERED
