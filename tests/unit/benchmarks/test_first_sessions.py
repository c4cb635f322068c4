"""The part of a benchmark that the live check asks about."""

import pytest

from remem.benchmarks.loaded import LoadedBenchmark
from remem.benchmarks.split import FirstSessions
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question


def history(name: str) -> History:
    sessions = [
        Episode(f"{name}/s{n}", (Message(f"{name}/D{n}:1", "Ann", "Hello."),)) for n in (1, 2, 3)
    ]
    return History(name, tuple(sessions))


def question(name: str, index: int, *evidence: str) -> Question:
    gold = Gold(("yes",), "1", evidence=tuple(f"{name}/{item}" for item in evidence))
    return Question(Query(f"{name}/{index}", name, index, "Is it?"), gold)


WHOLE = LoadedBenchmark(
    [
        (history("a"), [question("a", 0, "D1:1")]),
        (
            history("b"),
            [
                question("b", 0, "D1:1"),
                question("b", 1, "D1:1", "D3:1"),  # the third session is not there
                question("b", 2),  # no evidence: nobody knows where the answer lies
                question("b", 3, "D2:1", "D1:1"),
                question("b", 4, "D2:1"),
            ],
        ),
    ],
    [DataFile("whole.json", "0" * 64)],
)


def first(*, sessions: int = 2, questions: int = 3, seed: int = 0) -> FirstSessions:
    return FirstSessions(
        whole=WHOLE, history="b", sessions=sessions, questions=questions, seed=seed
    )


def test_only_questions_whose_evidence_lies_in_the_kept_sessions_are_asked() -> None:
    part = first()
    (kept,) = part.histories()
    assert [episode.id for episode in kept.episodes] == ["b/s1", "b/s2"]
    assert [item.query.id for item in part.questions("b")] == ["b/0", "b/3", "b/4"]
    assert [item.query.index for item in part.questions("b")] == [0, 1, 2]


def test_the_draw_is_the_same_for_the_same_seed_and_stays_in_order() -> None:
    draws = {
        seed: [q.query.id for q in first(questions=2, seed=seed).questions("b")]
        for seed in range(9)
    }
    assert all(draw == sorted(draw) for draw in draws.values())
    assert len({tuple(draw) for draw in draws.values()}) > 1
    assert [q.query.id for q in first(questions=2, seed=4).questions("b")] == draws[4]


def test_the_file_says_that_it_is_a_part() -> None:
    (file,) = first().files()
    assert file.name == "whole.json (first 2 sessions of b, 3 questions, seed 0)"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sessions": 4}, "sessions is 4, expected 1 to 3"),
        (
            {"questions": 4},
            "questions is 4, expected at least 1 and at most 3, the number of questions of b",
        ),
        ({"sessions": 1, "questions": 0}, "questions is 0, expected at least 1 and at most 1"),
    ],
)
def test_more_than_there_is_is_refused(change: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        first(**change)
