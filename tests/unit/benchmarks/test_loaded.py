import pytest

from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question

FILE = DataFile("set/x.json", "0" * 64)


def a_history(history_id="h1", message_ids=("D1:1", "D1:2")):
    messages = tuple(Message(message_id, "Ann", "Hello") for message_id in message_ids)
    return History(history_id, (Episode("session_1", messages),))


def a_question(query_id="h1/q0", answers=("yes",), text="Really?"):
    return Question(Query(query_id, "h1", 0, text), Gold(answers, "1"))


def test_histories_questions_and_files_are_kept_in_order():
    one, two = a_history("h1"), a_history("h2")
    question = a_question()
    benchmark = LoadedBenchmark([(two, []), (one, [question])], [FILE])
    assert benchmark.histories() == (two, one)
    assert benchmark.questions("h1") == (question,)
    assert benchmark.questions("h2") == ()
    assert benchmark.files() == (FILE,)


def test_an_unknown_history_is_named_with_those_there_are():
    with pytest.raises(ValueError, match="unknown history 'h9'; choose one of h1"):
        LoadedBenchmark([(a_history(), [])], [FILE]).questions("h9")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([(a_history(), []), (a_history(), [])], "'h1' occurs twice in the history ids"),
        (
            [(a_history(message_ids=("D1:1", "D1:1")), [])],
            "'D1:1' occurs twice in the message ids of h1",
        ),
        (
            [(a_history(), [a_question(), a_question()])],
            "'h1/q0' occurs twice in the query ids",
        ),
        ([(a_history(message_ids=()), [])], "session_1 of h1 has no messages"),
        ([(History("h1", ()), [])], "h1 has no episodes"),
        ([(a_history(), [a_question(text="\u200b ")])], "h1/q0 has an empty question"),
        ([(a_history(), [a_question(answers=())])], "h1/q0 has an empty gold answer"),
        ([(a_history(), [a_question(answers=(" ",))])], "h1/q0 has an empty gold answer"),
    ],
)
def test_what_no_benchmark_may_hold_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        LoadedBenchmark(asked, [FILE])
