"""The rule-based extractor: a dated gist from a chat message, a fact from a templated statement."""

import os
import re
from calendar import day_name, month_name
from datetime import date

import pytest

from remem.benchmarks.beam import Beam
from remem.benchmarks.locomo import LoCoMo
from remem.memory.rules_extractor import RulesExtractor
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, Message

SAID = TimePoint(2023, 5, 8, 13 * 60 + 56)


def extract(*messages):
    return RulesExtractor().extract(Episode("session_1", messages))


def chat(text, time=SAID, date=""):
    return Message("D1:3", "Caroline", text, time, date)


def statement(text, time=None):
    return Message("f1", "", text, time)


def gist_of(message):
    extraction = extract(message)
    assert extraction.facts == ()
    (gist,) = extraction.gists
    return gist


def test_a_message_becomes_one_dated_gist_that_says_what_yesterday_means():
    assert extract(chat("I went to a support group yesterday and it was powerful.")) == Extraction(
        gists=(
            Gist(
                id="",
                text="[8 May 2023, 1:56 pm] Caroline: I went to a support group yesterday "
                "(7 May 2023) and it was powerful.",
                time=TimeScope(TimePoint(2023, 5, 7)),
                episode_id="",
                source=("D1:3",),
            ),
        )
    )


def test_a_gist_keeps_the_interval_of_its_event():
    gist = gist_of(chat("The race was last weekend!"))
    assert gist.text.endswith(
        "Caroline: The race was last weekend (the weekend before 8 May 2023)!"
    )
    assert gist.time == TimeScope(start_time=TimePoint(2023, 5, 6), end_time=TimePoint(2023, 5, 7))


@pytest.mark.parametrize(
    "text",
    [
        "Hi, how are you?",
        "I swam yesterday and will run tomorrow.",
        "Yesterday I met Ann, as in 2019.",
    ],
)
def test_a_gist_is_dated_by_its_message_unless_exactly_one_expression_resolves(text):
    assert gist_of(chat(text)).time == TimeScope(SAID)


def test_all_expressions_of_a_message_are_explained_on_one_line():
    gist = gist_of(chat(" I swam\n\nyesterday and  will run tomorrow. "))
    assert gist.text == (
        "[8 May 2023, 1:56 pm] Caroline: "
        "I swam yesterday (7 May 2023) and will run tomorrow (9 May 2023)."
    )


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("We married in 2019.", TimePoint(2019)),
        ("I was born on Tuesday, 3 June 2019.", TimePoint(2019, 6, 3)),  # it was a Monday
        ("I was there last Monday, 2023-05-01.", TimePoint(2023, 5, 1)),
    ],
)
def test_a_stated_date_is_kept_and_a_weekday_next_to_it_is_no_time_of_its_own(
    text: str, time: TimePoint
) -> None:
    gist = gist_of(chat(text))
    assert gist.text == f"[8 May 2023, 1:56 pm] Caroline: {text}"
    assert gist.time == TimeScope(time)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Join us on Monday, 5 June (5 June 2023)!", TimePoint(2023, 6, 5)),
        ("Join us next Tuesday, June 5 (5 June 2023)!", TimePoint(2023, 6, 5)),  # a Monday
        ("On Monday (the Monday before 8 May 2023) I heard it shuts on 3 June 2024.", SAID),
    ],
)
def test_a_weekday_takes_the_day_and_month_next_to_it_or_stays_apart(
    text: str, time: TimePoint
) -> None:
    said = re.sub(r" \([^)]*\)", "", text)
    gist = gist_of(chat(said))
    assert gist.text == f"[8 May 2023, 1:56 pm] Caroline: {text}"
    assert gist.time == TimeScope(time)


def test_a_message_without_time_resolves_nothing():
    for said, shown in (("", ""), ("some Tuesday", "[some Tuesday] ")):  # which was not parsed
        gist = gist_of(chat("I ran yesterday.", time=None, date=said))
        assert (gist.text, gist.time) == (f"{shown}Caroline: I ran yesterday.", None)


def test_a_templated_statement_becomes_one_fact_and_no_gist():
    assert extract(statement("E1 was the R2 of E3 from 1990 to 1995.")) == Extraction(
        facts=(
            Fact(
                id="",
                subject="E1",
                predicate="R2",
                object="E3",
                time=TimeScope(start_time=TimePoint(1990), end_time=TimePoint(1995)),
                episode_id="",
                source=("f1",),
            ),
        )
    )


def test_a_statement_of_complex_tr_becomes_a_dated_gist_and_its_fact():
    text = "Ann Li studied at École  (Lyon) from May 1990 to June 1995."
    time = TimeScope(start_time=TimePoint(1990, 5), end_time=TimePoint(1995, 6))
    assert extract(statement(text)) == Extraction(
        gists=(Gist(id="", text=text, time=time, episode_id="", source=("f1",)),),
        facts=(
            Fact(
                id="",
                subject="Ann Li",
                predicate="studied at",
                object="École  (Lyon)",
                time=time,
                episode_id="",
                source=("f1",),
            ),
        ),
    )


def test_what_someone_says_is_never_taken_for_a_statement():
    assert extract(chat("Ann worked for Bank from May 1990 to June 1995.")).facts == ()


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Ann moved to Rome on 3 May 2021.", TimeScope(TimePoint(2021, 5, 3))),
        (
            "Ann ran the Bank from May 1990 to June 1995.",
            TimeScope(start_time=TimePoint(1990, 5), end_time=TimePoint(1995, 6)),
        ),
        ("Ann worked in 1990 and left in 1995.", None),
        ("Ann likes tea.", None),
    ],
)
def test_any_other_statement_becomes_a_gist_with_the_date_it_states(text, time):
    gist = gist_of(statement(text))
    assert (gist.text, gist.time, gist.source) == (text, time, ("f1",))


def test_a_statement_that_states_no_date_keeps_that_of_its_message():
    assert gist_of(statement("Ann likes tea.", TimePoint(2021))).time == TimeScope(TimePoint(2021))


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_every_message_of_locomo_becomes_one_gist():
    locomo = LoCoMo(
        data=os.environ["REMEM_DATA"],
        file="locomo10.json",
        evidence_rule="paper",
    )
    for history in locomo.histories()[:3]:
        for episode in history.episodes:
            extraction = RulesExtractor().extract(episode)
            assert [gist.source for gist in extraction.gists] == [
                (message.id,) for message in episode.messages
            ]
            assert extraction.facts == ()


WEEKDAY_AND_DATE = re.compile(
    rf"(?P<on>\b[Oo]n )?\b(?:{'|'.join(day_name)}),? "
    rf"(?P<month>{'|'.join(month_name[1:])}) (?P<day>\d+)\b(?:, +(?P<year>\d{{4}}))?"
)


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_every_weekday_next_to_a_date_in_beam_is_a_part_of_the_date() -> None:
    beam = Beam(data=os.environ["REMEM_DATA"], size="100K", chats=None)
    dated = [
        (message, matches)
        for history in beam.histories()
        for message in history.messages()
        if (matches := list(WEEKDAY_AND_DATE.finditer(" ".join(message.text.split()))))
    ]
    # Only a weekday after "on" or a word such as "next" can be a relative date by itself.
    assert sum(any(match["on"] for match in matches) for _, matches in dated) == 13
    for message, matches in dated:
        gist = gist_of(message)
        dates = times_in(" ".join(message.text.split()), message.time)
        for match in matches:
            year = int(match["year"] or message.time.year)
            day = date(year, list(month_name).index(match["month"]), int(match["day"])).isoformat()
            assert match[0] in gist.text  # no meaning is written into the date
            days = [
                str(item.scope)[:10]
                for item in dates
                if item.start < match.end() and match.start() < item.end
            ]
            assert days == [day], message.id
