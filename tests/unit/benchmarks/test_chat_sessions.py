import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.chat_sessions import numbered_sessions, parse_time
from remem.time_scope import TimePoint


def test_sessions_are_ordered_by_number_and_their_neighbours_left_out():
    chat = {
        "speaker_a": "Ann",
        "session_10": ["j"],
        "session_2": ["b"],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2_summary": "text",
        "session_2_observation": {},
        "events_session_2": {},
        "session_20_date_time": "a date without a session",
    }
    assert list(numbered_sessions(chat, "conv-1")) == [("session_2", ["b"]), ("session_10", ["j"])]


def test_a_session_that_is_no_list_is_an_error():
    with pytest.raises(ValueError, match="'session_1' of conv-1 is str, expected list"):
        list(numbered_sessions({"session_1": "hello"}, "conv-1"))


@given(moment=st.datetimes())
def test_a_day_first_date_round_trips_to_the_minute(moment):
    text = (
        f"{moment.day:02d}.{moment.month:02d}.{moment.year:04d}, "
        f"{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
    )
    expected = TimePoint.from_datetime(moment)
    assert parse_time(text, "%d.%m.%Y, %H:%M:%S", "chat-1") == expected
