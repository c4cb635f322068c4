"""Several workers answer side by side, and an index is made meanwhile; one does all in turn."""

import threading

import pytest

from remem.protocols import StopRunError
from remem.run.store import Timing
from remem.run.workers import answer_all
from remem.types import Gold, Record


def attempt(name: str) -> tuple[Record, Timing]:
    return Record(name, "h", 0, "Who?", Gold(("Ann",), "1"), "ok"), Timing(name, 0.0, 0.0)


def ids(histories, workers):
    return [record.query_id for record, _ in answer_all(histories, workers)]


def test_no_more_questions_are_begun_than_the_workers_need():
    asked = []

    def tasks():
        for number in range(100):
            asked.append(number)
            yield lambda number=number: attempt(f"q{number}")

    begun, found = [], set()
    for count, (record, _) in enumerate(answer_all([lambda: tasks], 4), start=1):
        begun.append(len(asked) - count)
        found.add(record.query_id)
    assert max(begun) == 7  # two for each worker; one of them has just been answered
    assert found == {f"q{number}" for number in range(100)}


def test_one_worker_indexes_a_history_when_the_one_before_is_answered():
    done = []

    def history(name):
        def index():
            done.append(f"index {name}")
            return lambda: [lambda: (done.append(f"answer {name}"), attempt(name))[1]] * 2

        return index

    assert ids([history("a"), history("b")], 1) == ["a", "a", "b", "b"]
    assert done == [*("index a", "answer a", "answer a"), *("index b", "answer b", "answer b")]


def test_the_next_history_is_indexed_while_a_question_is_still_open():
    indexed = threading.Event()

    def slow():
        assert indexed.wait(10)  # else the next history waits for this answer
        return attempt("slow")

    def following():
        indexed.set()
        return lambda: [lambda: attempt("next")]

    assert sorted(ids([lambda: lambda: [slow], following], 2)) == ["next", "slow"]


def test_histories_are_indexed_one_at_a_time_and_accounted_for_in_the_callers_thread():
    at_once, most, threads = threading.Semaphore(1), [], set()

    def history(name):
        def tasks():
            threads.add(threading.current_thread())
            return [lambda: attempt(name)] * 3

        def index():
            most.append(at_once.acquire(blocking=False))
            at_once.release()
            return tasks

        return index

    found = ids([history(str(number)) for number in range(5)], 8)
    assert sorted(found) == [str(number) for number in range(5) for _ in range(3)]
    assert most == [True] * 5
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_of_an_index_or_of_a_task_ends_it(workers):
    def broken():
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        ids([lambda: lambda: [lambda: attempt("a")], broken], workers)
    with pytest.raises(ValueError, match="broken"):
        ids([lambda: lambda: [broken, lambda: attempt("a")]], workers)


@pytest.mark.parametrize("workers", [1, 3])
def test_histories_without_questions_and_no_histories_give_nothing(workers):
    assert ids([lambda: lambda: [], lambda: lambda: []], workers) == []
    assert ids([], workers) == []


def test_a_run_that_an_index_stops_keeps_the_answers_that_were_asked_before():
    stopped, kept = threading.Event(), []

    def slow():
        assert stopped.wait(10)
        return attempt("slow")

    def no_money():
        stopped.set()
        raise StopRunError("no money")

    with pytest.raises(StopRunError, match="no money"):
        kept.extend(
            record.query_id for record, _ in answer_all([lambda: lambda: [slow], no_money], 2)
        )
    assert kept == ["slow"]
