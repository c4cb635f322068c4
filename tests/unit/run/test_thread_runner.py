"""Several threads answer at once while an index is made; one worker does one thing at a time."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import StopRunError, UsageError
from remem.run.progress import Asked
from remem.run.runner import Attempt, IndexedHistory, IndexReport
from remem.run.store import Timing
from remem.run.thread_runner import ThreadRunner
from remem.types import Gold, History, Query, Question, Record


def attempt(question: Question) -> Attempt:
    name = question.query.id
    return Record(name, "h", 0, "Who?", question.gold, "ok"), Timing(name, 0.0, 0.0)


def questions(history: str, count: int) -> list[Question]:
    return [
        Question(Query(f"{history}{at}", history, at, "Who?"), Gold(("Ann",), "1"))
        for at in range(count)
    ]


def asked(**counts: int) -> Asked:
    """Return histories with these names and numbers of questions, such as a0 and a1."""
    return [(History(name, ()), questions(name, count)) for name, count in counts.items()]


class Steps:
    """Steps that do nothing, except for the actions given for a history or a question."""

    def __init__(self, **acts: Callable[[], object]) -> None:
        self.done: list[str] = []
        self._acts = acts

    @property
    def config(self) -> Any:
        raise AssertionError("threads share the parts of the run, and build none")

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        self._do(history.id)
        return IndexedHistory(memory=None, report=IndexReport(history.id))  # type: ignore[arg-type]

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        assert indexed.report.memory == question.query.history_id
        self._do(question.query.id)
        return attempt(question)

    def _do(self, name: str) -> None:
        self._acts.get(name, lambda: None)()
        self.done.append(name)


def nothing(history: History, report: IndexReport) -> None:
    pass


def ids(steps: Steps, some: Asked, workers: int) -> list[str]:
    attempts = ThreadRunner(workers=workers).answers(steps, some, nothing)
    return [record.query_id for record, _ in attempts]


def broken() -> None:
    raise ValueError("broken")


def test_no_more_questions_are_begun_than_the_workers_need() -> None:
    taken = []

    class Noted(list[Question]):
        def __iter__(self) -> Iterator[Question]:
            for question in super().__iter__():
                taken.append(question)
                yield question

    some = [(History("a", ()), Noted(questions("a", 100)))]
    begun, found = [], set()
    attempts = ThreadRunner(workers=4).answers(Steps(), some, nothing)
    for count, (record, _) in enumerate(attempts, start=1):
        begun.append(len(taken) - count)
        found.add(record.query_id)
    assert max(begun) == 7  # two for each worker; one of them has just been answered
    assert found == {f"a{number}" for number in range(100)}


def test_one_worker_indexes_a_history_when_the_one_before_is_answered() -> None:
    steps = Steps()
    assert ids(steps, asked(a=2, b=2), 1) == ["a0", "a1", "b0", "b1"]
    assert steps.done == ["a", "a0", "a1", "b", "b0", "b1"]


def test_the_next_history_is_indexed_while_a_question_is_still_open() -> None:
    indexed = threading.Event()

    def slow() -> None:
        assert indexed.wait(10)  # else the next history waits for this answer

    assert sorted(ids(Steps(a0=slow, b=indexed.set), asked(a=1, b=1), 2)) == ["a0", "b0"]


def test_histories_are_indexed_one_at_a_time_and_accounted_for_in_the_callers_thread() -> None:
    at_once, most, accounted = threading.Semaphore(1), [], []

    def index() -> None:
        most.append(at_once.acquire(blocking=False))
        at_once.release()

    def account(history: History, report: IndexReport) -> None:
        accounted.append((history.id, threading.current_thread()))

    steps = Steps(**dict.fromkeys("abcde", index))
    some = asked(**dict.fromkeys("abcde", 3))
    found = [record.query_id for record, _ in ThreadRunner(workers=8).answers(steps, some, account)]
    assert sorted(found) == [f"{name}{at}" for name in "abcde" for at in range(3)]
    assert most == [True] * 5
    assert accounted == [(name, threading.current_thread()) for name in "abcde"]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_history_is_accounted_for_before_any_of_its_questions_is_asked(workers: int) -> None:
    steps = Steps()

    def account(history: History, report: IndexReport) -> None:
        steps.done.append(f"account {history.id}")

    list(ThreadRunner(workers=workers).answers(steps, asked(a=2), account))
    assert steps.done[:2] == ["a", "account a"]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("where", ["b", "a1"])
def test_an_error_of_an_index_or_of_a_question_ends_it(where: str, workers: int) -> None:
    with pytest.raises(ValueError, match="broken"):
        ids(Steps(**{where: broken}), asked(a=3, b=1), workers)


def test_histories_without_questions_and_no_histories_give_nothing() -> None:
    assert ids(Steps(), asked(a=0, b=0), 3) == ids(Steps(), [], 3) == []


@pytest.mark.parametrize("stops", ["index", "account"])
def test_a_run_that_stops_at_a_history_keeps_the_answers_that_were_asked_before(stops: str) -> None:
    stopped, kept = threading.Event(), []

    def slow() -> None:
        assert stopped.wait(10)

    def no_money() -> None:
        stopped.set()
        raise StopRunError("no money")

    def account(history: History, report: IndexReport) -> None:
        if (history.id, stops) == ("b", "account"):
            no_money()

    steps = Steps(a0=slow, **({"b": no_money} if stops == "index" else {}))
    attempts = ThreadRunner(workers=2).answers(steps, asked(a=1, b=1, c=1), account)
    with pytest.raises(StopRunError, match="no money"):
        kept.extend(record.query_id for record, _ in attempts)
    assert kept == ["a0"]
    assert "c" not in steps.done


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (["runner.workers=4"], "4, .* choose runner=threads"),  # of runner=serial
        (["runner=threads", "runner.build.workers=0"], "0, .* at least 1"),
    ],
)
def test_serial_is_one_worker_and_threads_are_at_least_one(overrides: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=rf"runner\.workers is {told}"):
        run_config(compose_config(overrides)).build_runner()
