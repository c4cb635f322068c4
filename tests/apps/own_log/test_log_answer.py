"""What the user sees of an answer, and which questions depend on the previous one."""

import pytest

from remem.apps.own_log.log_answer import LogAnswer, is_follow_up, spoken, with_neighbours
from remem.readers.quoting import Quote
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope
from remem.types import Evidence, Message, Usage

MAY = TimePoint(2023, 5, 8, 600)


def answer(message: Message, sentence: str) -> LogAnswer:
    dates = times_in(sentence, message.time)
    quote = Quote(message, sentence, dates[0] if dates else None)
    return LogAnswer(sentence, quote, "log.txt:3", Evidence(), Usage(), {})


def test_a_date_in_the_sentence_is_shown_with_its_words() -> None:
    found = answer(Message("m1", "Ann", "I ran\nlast  Friday", MAY), "I ran last  Friday")
    assert found.when == '5 May 2023 ("last Friday")'
    assert found.source == "log.txt:3, Ann, 8 May 2023"


def test_else_it_is_the_day_on_which_it_was_said() -> None:
    assert (
        answer(Message("m1", "Ann", "I ran", MAY), "I ran").when
        == "8 May 2023 (the day it was said)"
    )


def test_an_undated_message_without_a_speaker_says_so() -> None:
    found = answer(Message("m1", "", "I ran"), "I ran")
    assert (found.when, found.source) == ("not dated", "log.txt:3, undated")


def test_no_answer_has_no_date_and_no_source() -> None:
    found = LogAnswer("", None, "", Evidence(), Usage(), {})
    assert (found.when, found.source) == ("", "")


def test_open_ends_are_spoken() -> None:
    assert spoken(TimeScope(start_time=TimePoint(2023))) == "from 2023 on"
    assert spoken(TimeScope(end_time=TimePoint(2023, 5))) == "until May 2023"


def test_the_message_before_those_found_and_the_eight_after_it_are_searched_too() -> None:
    log = [Message(f"m{number}", "", "x") for number in range(1, 21)]
    assert [message.id for message in with_neighbours(["m20", "m3"], log)] == [
        *(f"m{number}" for number in (*range(2, 12), 19, 20))
    ]


@pytest.mark.parametrize(
    ("question", "follows"),
    [
        ("and when?", True),
        ("When?", True),
        ("Where did she go?", True),
        ("What about Bob?", True),
        ("When did Ann move?", False),
        ("Where did Ann say she went?", False),
        ("Who sails?", False),
    ],
)
def test_a_follow_up_is_told_from_a_question_that_stands_alone(question, follows) -> None:
    assert is_follow_up(question) is follows
