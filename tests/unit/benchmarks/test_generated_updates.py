"""Chats in which facts change: every answer over time is in a message, and the last one counts."""

import pytest

from remem.benchmarks.dialogues.updates import GeneratedUpdates
from remem.types import Message


@pytest.fixture(scope="module")
def made() -> GeneratedUpdates:
    return GeneratedUpdates(seed=7, conversations=4, sessions=9, evidence_rule="paper")


def messages(made: GeneratedUpdates, history_id: str) -> dict[str, Message]:
    (history,) = [history for history in made.histories() if history.id == history_id]
    return {message.id: message for message in history.messages()}


def session_of(message_id: str) -> int:
    return int(message_id[1:].split(":", maxsplit=1)[0])


def test_every_value_over_time_is_told_in_its_message_in_order(made):
    changed = 0
    for history in made.histories():
        told = messages(made, history.id)
        for question in made.questions(history.id):
            if not question.gold.answerable:
                continue
            golds = [*made.former_golds(question.query.id), question.gold]
            changed += len(golds) > 1
            sessions = [session_of(gold.evidence[0]) for gold in golds]
            assert sessions == sorted(set(sessions))
            assert len({gold.answers for gold in golds}) == len(golds)
            for gold in golds:
                (value,) = gold.answers
                (message,) = gold.evidence
                assert value in told[message].text
                assert told[message].speaker in question.query.text
    assert changed > 10


def test_a_value_is_said_by_its_speaker_only_where_it_is_told(made):
    for history in made.histories():
        told = messages(made, history.id)
        for question in made.questions(history.id):
            if question.gold.answerable:
                (value,) = question.gold.answers
                (evidence,) = question.gold.evidence
                said = [
                    message.id
                    for message in told.values()
                    if value in message.text and message.speaker == told[evidence].speaker
                ]
                assert said == [evidence]


def test_what_a_person_never_told_has_no_answer(made):
    unanswerable = [
        question
        for history in made.histories()
        for question in made.questions(history.id)
        if not question.gold.answerable
    ]
    assert len(unanswerable) == 2 * 4
    for question in unanswerable:
        assert made.former_golds(question.query.id) == ()
        told = messages(made, question.query.history_id)
        for evidence in question.gold.evidence:  # it is about the other person
            assert told[evidence].speaker not in question.query.text


def test_the_same_seed_gives_the_same_data_and_another_seed_gives_others():
    sums = [
        GeneratedUpdates(seed=seed, conversations=2, sessions=5, evidence_rule="paper").files()
        for seed in (1, 1, 2)
    ]
    assert sums[0] == sums[1]
    assert sums[0][0].sha256 != sums[2][0].sha256


def test_too_few_sessions_for_a_change_are_refused():
    with pytest.raises(ValueError, match="sessions=2, expected at least 3"):
        GeneratedUpdates(seed=7, conversations=1, sessions=2, evidence_rule="paper")
