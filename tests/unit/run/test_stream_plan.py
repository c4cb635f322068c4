"""Which question is asked after which session, and how old its evidence is then."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.run.stream_plan import CheckpointMark, checkpoints
from remem.time_scope import TimePoint
from remem.types import Episode, Gold, History, Message, Query, Question


def history(sessions: int, messages: int = 2) -> History:
    """Return a history of sessions on 1, 2, 3, ... May, each with `messages` messages."""
    return History(
        "h",
        tuple(
            Episode(
                f"s{number}",
                tuple(
                    Message(f"D{number}:{at}", "Ann", "text", TimePoint(2023, 5, number))
                    for at in range(messages)
                ),
            )
            for number in range(1, sessions + 1)
        ),
    )


def question(*evidence: str, answerable: bool = True, unresolved: tuple[str, ...] = ()) -> Question:
    gold = Gold(("gold",), "1", answerable=answerable, evidence=evidence, unresolved=unresolved)
    return Question(Query("h/q0", "h", 0, "who?"), gold)


def marks(
    asked: Question, sessions: int, *, every: int = 1, rule: str = "doubling"
) -> list[CheckpointMark]:
    found = checkpoints(history(sessions), [asked], every=every, rule=rule)
    return [due.mark for checkpoint in found for due in checkpoint.due]


def test_a_question_is_asked_once_too_early_and_then_at_doubling_ages_and_at_the_end():
    found = marks(question("D2:0", "D3:1"), 16)
    assert [mark.checkpoint for mark in found] == [2, 3, 4, 5, 7, 11, 16]
    assert [mark.evidence_sessions for mark in found] == [-1, 0, 1, 2, 4, 8, 13]
    assert [mark.answerable for mark in found] == ["not yet", *["yes"] * 6]
    assert [mark.is_last for mark in found] == [*[False] * 6, True]


@pytest.mark.parametrize(
    "asked", [question(), question("D9:9"), question("D1:0", unresolved=("D:11",))]
)
def test_a_question_without_known_evidence_is_only_asked_at_the_end(asked):
    [mark] = marks(asked, 4)
    assert (mark.checkpoint, mark.answerable, mark.evidence_sessions) == (4, "unknown", None)


def test_a_mark_has_the_age_of_the_memory_and_of_the_evidence():
    found = marks(question("D2:0", answerable=False), 3)
    assert {mark.answerable for mark in found} == {"never"}
    mark = marks(question("D2:0"), 6)[3]
    assert (mark.checkpoint, mark.sessions, mark.messages, mark.days) == (4, 4, 8, 3.0)
    assert (mark.evidence_sessions, mark.evidence_days) == (2, 2.0)


def test_checkpoints_lie_after_every_nth_session_and_after_the_last():
    found = checkpoints(history(7), [question("D4:0")], every=3, rule="all")
    assert [(checkpoint.begin, checkpoint.end) for checkpoint in found] == [(0, 3), (3, 6), (6, 7)]
    assert [due.mark.answerable for part in found for due in part.due] == ["not yet", "yes", "yes"]
    assert [part.id for part in found[1].sessions(3).episodes] == ["s4", "s5", "s6"]


@given(
    sessions=st.integers(1, 28),  # one a day of a month
    every=st.integers(1, 30),
    settled=st.integers(1, 28),
    rule=st.sampled_from(["doubling", "all"]),
)
def test_every_question_is_asked_when_it_becomes_answerable_and_at_the_end(
    sessions, every, settled, rule
):
    settled = min(settled, sessions)
    found = marks(question(f"D{settled}:0"), sessions, every=every, rule=rule)
    assert (found[-1].is_last, found[-1].sessions) == (True, sessions)
    answerable = [mark for mark in found if mark.answerable == "yes"]
    assert answerable[0].sessions == min(-(-settled // every) * every, sessions)
    assert len({mark.checkpoint for mark in found}) == len(found)
    assert all((mark.evidence_sessions >= 0) == (mark.answerable == "yes") for mark in found)
    if rule == "doubling":
        assert len(found) <= 2 + 1 + 6  # early, at once, and doubled up to 28 sessions


def test_after_a_change_the_question_is_asked_again_with_the_gold_that_is_right_by_then():
    last = question("D6:0")
    old = replace(last.gold, answers=("old",), evidence=("D2:0",))
    found = checkpoints(history(9), [last], every=1, rule="doubling", former=lambda query_id: [old])
    due = [one for checkpoint in found for one in checkpoint.due]
    assert [one.mark.checkpoint for one in due] == [1, 2, 3, 4, 6, 7, 8, 9]
    assert [one.question.gold.answers for one in due] == [("old",)] * 4 + [("gold",)] * 4
    assert [one.mark.evidence_sessions for one in due] == [-1, 0, 1, 2, 0, 1, 2, 3]
    assert [one.mark.outdated for one in due] == [()] * 4 + [("old",)] * 4
    assert due[-1].question == last


def test_a_fact_that_changes_back_is_not_outdated():
    last = question("D5:0")
    stages = [
        replace(last.gold, answers=(answer,), evidence=(f"D{session}:0",))
        for answer, session in (("gold", 1), ("other", 3))
    ]
    found = checkpoints(history(6), [last], every=1, rule="all", former=lambda query_id: stages)
    outdated = [one.mark.outdated for checkpoint in found for one in checkpoint.due]
    assert outdated == [(), (), ("gold",), ("gold",), ("other",), ("other",)]
