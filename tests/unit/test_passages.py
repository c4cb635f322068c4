"""The texts of messages, statements and sessions as passages."""

from remem.passages import dated_line, message_passage, session_passage, undated_line
from remem.time_scope import TimePoint
from remem.types import Episode, Message, Passage

MAY = TimePoint(2023, 5, 8, 836)
GREETING = Message(
    "D1:1", "Caroline", "Hey Mel!", MAY, "1:56 pm on 8 May, 2023", "a photo of a dog"
)
REPLY = Message("D1:2", "Melanie", "Hi: good to see you", MAY, "1:56 pm on 8 May, 2023")
STATEMENT = Message("s1", "", "E7 was the R1 of E2 from 1990 to 1994.", TimePoint(1990), "1990")


def test_a_message_reads_date_speaker_text_and_leaves_the_caption_out() -> None:
    assert dated_line(GREETING) == "[1:56 pm on 8 May, 2023] Caroline: Hey Mel!"
    assert undated_line(GREETING) == "Caroline: Hey Mel!"


def test_a_statement_reads_as_its_text_alone() -> None:
    assert dated_line(STATEMENT) == undated_line(STATEMENT) == STATEMENT.text


def test_a_message_without_a_date_shows_no_empty_brackets() -> None:
    assert dated_line(Message("m", "Emi", "ok")) == "Emi: ok"


def test_a_message_is_a_passage_of_its_own() -> None:
    expected = Passage(
        "D1:2", "[1:56 pm on 8 May, 2023] Melanie: Hi: good to see you", MAY, ("D1:2",)
    )
    assert message_passage(REPLY) == expected


def test_a_session_is_one_passage_with_a_line_for_each_message() -> None:
    passage = session_passage(Episode("session_1", (GREETING, REPLY)))
    assert passage.text.splitlines() == [dated_line(GREETING), dated_line(REPLY)]
    assert passage.source == ("D1:1", "D1:2")
    assert (passage.id, passage.time) == ("session_1", MAY)
