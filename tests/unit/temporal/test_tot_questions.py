"""Every known wording of Test of Time is read as its question; unknown ones are not guessed."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.tot.loader import ToTSemantic
from remem.benchmarks.tot.sampling import wordings
from remem.temporal.statements import Triple
from remem.temporal.tot_questions import (
    AtEvent,
    AtYear,
    CountBetween,
    Duration,
    FirstLast,
    Neighbour,
    Timeline,
    WhenEdge,
    parse_tot_question,
)

WHO = Triple(None, "R1", "E2")
WHOM = Triple("E2", "R1", None)
HELD = Triple("E9", "R1", "E2")
ANCHOR = Triple("E83", "R11", "E95")
COUNTED = "Relations that ended in 1952 or started in 1957 must be counted as well."
SUBTRACT = "The duration can be computed by subtracting the start time from the end time."

AT_YEAR = [
    ("Which entity was the R1 of E2 in 1932?", AtYear(WHO, 1932)),
    ("Which entity was the R1 of the entity E2 in 1932?", AtYear(WHO, 1932)),
    ("Which entity was the R1 of E2 in year 1932?", AtYear(WHO, 1932)),
    ("In 1932, which entity was the R1 of E2?", AtYear(WHO, 1932)),
    ("In 1932, E2 was the R1 of which entity?", AtYear(WHOM, 1932)),
    ("E2 was the R1 of which entity in 1932?", AtYear(WHOM, 1932)),
    ("The entity E2 was the R1 of which entity in 1932?", AtYear(WHOM, 1932)),
    ("In 1932, the entity E2 was the R1 of which one of the entities?", AtYear(WHOM, 1932)),
]
WHEN_EDGE = [
    ("At what time did E9 start being the R1 of E2?", WhenEdge(HELD, "start")),
    ("At what time did E9 stop being the R1 of E2?", WhenEdge(HELD, "stop")),
    ("At what time did E9 start being the R1 of the entity E2?", WhenEdge(HELD, "start")),
    ("At what time did E9 stop being the R1 of the entity E2?", WhenEdge(HELD, "stop")),
]
BETWEEN = CountBetween(WHO, 1952, 1957)
COUNT_BETWEEN = [
    (
        "Find the number of unique entities that were the R1 of E2 between 1952 to 1957. "
        f"{COUNTED}",
        BETWEEN,
    ),
    (f"Between 1952 and 1957, how many unique entities were the R1 of E2? {COUNTED}", BETWEEN),
    (
        f"How many unique entities were the R1 of the entity E2 from 1952 to 1957? {COUNTED}",
        BETWEEN,
    ),
]
NEIGHBOUR = [
    ("Which entity was the R1 of E2 immediately before E9?", Neighbour(WHO, "E9", "before")),
    ("Which entity was the R1 of E2 immediately after E9?", Neighbour(WHO, "E9", "after")),
    (
        "Which entity was the R1 of E2 immediately after the entity E9?",
        Neighbour(WHO, "E9", "after"),
    ),
]
WHO_THEN, WHOM_THEN = AtEvent(WHO, ANCHOR), AtEvent(WHOM, ANCHOR)
AT_EVENT = [
    ("At the start time of E83 being the R11 of E95, which entity was the R1 of E2?", WHO_THEN),
    ("At the start time of E83 being the R11 of E95, E2 was the R1 of which entity?", WHOM_THEN),
    ("E2 was the R1 of which entity at the time when E83 started being the R11 of E95?", WHOM_THEN),
    ("Which entity was the R1 of E2 at the time when E83 started being the R11 of E95?", WHO_THEN),
    ("When E83 started being the R11 of E95, E2 was the R1 of which entity?", WHOM_THEN),
    (
        "When the entity E83 started being the R11 of the entity E95, which entity was the R1 of "
        "the entity E2?",
        WHO_THEN,
    ),
]
FIRST_LAST = [
    ("Identify the entity that was the first R1 of entity E2.", FirstLast(WHO, "first")),
    ("Identify the entity that was the last R1 of E2.", FirstLast(WHO, "last")),
    ("Which entity was the last that was the R1 of the entity E2?", FirstLast(WHO, "last")),
]
DURATION = [
    (
        f"For how many years did it last when E9 was the R1 of E2 for the 3rd time? {SUBTRACT}",
        Duration(HELD, 3),
    ),
    (
        "When E9 was the R1 of E2 for the 2nd time, for how many years did the relation last? "
        f"{SUBTRACT}",
        Duration(HELD, 2),
    ),
    (
        "The 4th time it happened, for how many years was the entity E9 the R1 of the entity E2? "
        f"{SUBTRACT}",
        Duration(HELD, 4),
    ),
]
TIMELINE = [
    (
        "Which entities were the R1 of E2? Provide a comma-separated list of all entities sorted "
        "by end time from lowest to highest.",
        Timeline(WHO, "end"),
    ),
    (
        "Which entities were the R1 of E2? Provide a comma-separated list of all entities sorted "
        "by start time from lowest to highest.",
        Timeline(WHO, "start"),
    ),
    (
        "Which entities were the R1 of the entity E2? Provide a comma-separated list. Sort by end "
        "time ascending.",
        Timeline(WHO, "end"),
    ),
    (
        "Give me a comma-separated list of all entities that were the R1 of E2 in the order of "
        "start time from lowest to highest.",
        Timeline(WHO, "start"),
    ),
]
KNOWN = [
    *AT_YEAR,
    *WHEN_EDGE,
    *COUNT_BETWEEN,
    *NEIGHBOUR,
    *AT_EVENT,
    *FIRST_LAST,
    *DURATION,
    *TIMELINE,
]


@pytest.mark.parametrize(("text", "question"), KNOWN)
def test_a_known_wording_is_read_as_what_it_asks(text, question):
    assert parse_tot_question(text) == question
    # Blanks and line breaks make no difference.
    assert parse_tot_question(f" {text}\n".replace(" ", "  ").replace(",  ", ",\n")) == question


@pytest.mark.parametrize("number", [1, 2, 3, 4, 11, 21])
def test_any_ordinal_is_read(number):
    ending = {1: "st", 2: "nd", 3: "rd", 21: "st"}.get(number, "th")
    text = f"The {number}{ending} time it happened, for how many years was E9 the R1 of E2?"
    assert parse_tot_question(text) == Duration(HELD, number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "E9",
        "Who bought the boat?",
        "When did Ann move to Rome?",
        "Which entity was the R1 of E2?",
        "Which entity was E2 in 1932?",
        "Was E9 the R1 of E2 in 1932?",
        "E9 was the R1 of E2 from 1990 to 1995.",
        "How many unique entities were the R1 of E2?",
        "How many unique entities were there between 1952 to 1957?",
        "For how many years was E9 the R1 of E2?",
        "The 3rd time it happened, for how many years was E9 in office?",
        "At what time did E9 meet E2?",
        "Which entities were the R1 of E2?",
        "Provide a comma-separated list sorted by start time.",
        "Immediately before E9, what happened?",
    ],
)
def test_an_unknown_wording_is_not_guessed(text):
    assert parse_tot_question(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Which entity was the last R1 of E2 before 1990?",
        "Which entity was the first R1 of E2 after E9?",
        "Which entity was the R1 of E2 before 1932?",
        "Which entity was the R1 of E2 in 1932 but not in 1935?",
        "Which entity was the R1 of E2 in 1932 and the R3 of E4?",
        "When E83 first started being the R11 of E95, which entity was the R1 of E2?",
        "How many unique entities were the R1 of E2 between 1952 to 1957, without E9?",
        "At what time did E9 stop being the R1 of E2 after 1950?",
        "Give me a comma-separated list of all entities that were the R1 of E2 since 1950 in the "
        "order of start time.",
    ],
)
def test_a_condition_that_no_question_type_has_is_not_left_out(text):
    assert parse_tot_question(text) is None


PIECES = (
    *("which entity was", "E1 was", "E2 being", "the R1 of E2", "the R2 of E1", "of which entity"),
    *("in 1990", "between 1990 to 1995", "when", "immediately before E1", "first", "list"),
    *("start time", "2nd time", "how many years", "unique entities", "At what time did", "stop"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=7))
def test_any_pieces_in_any_order_are_a_question_that_names_all_of_them_or_none(pieces):
    text = " ".join(pieces)
    question = parse_tot_question(text)
    for name in ("R1", "R2", "E1", "E2", "1990", "1995"):
        assert question is None or name not in text or name in str(question)


CLASSES = {
    "event_at_time_t": AtYear,
    "event_at_what_time": WhenEdge,
    "number_of_events_in_time_interval": CountBetween,
    "before_after": Neighbour,
    "event_at_the_time_of_another_event": AtEvent,
    "first_last": FirstLast,
    "relation_duration": Duration,
    "timeline": Timeline,
}


@pytest.mark.parametrize("category", wordings())
def test_every_wording_of_the_generator_is_read_as_its_type(category):
    for wording in wordings()[category]:
        check_wording(category, wording)


def check_wording(category, wording):
    text = wording.text.format(
        which=wording.which,
        relation="R1",
        given="E2",
        anchor="R11" if category == "event_at_the_time_of_another_event" else "E9",
        subject="E83",
        object="E95",
        year="1932",
        first="1952",
        last="1957",
        nth="2nd",
    )
    question = parse_tot_question(text)
    assert type(question) is CLASSES[category]
    if wording.which:
        assert wording.which in str(question)
    if category == "event_at_the_time_of_another_event":
        assert question.anchor == ANCHOR
    if "{given}" in wording.text:
        assert question.target == (WHO if wording.asks == "subject" else WHOM)
    else:
        assert question.target == Triple("E83", "R1", "E95")


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_the_real_questions_are_read():
    benchmark = ToTSemantic(
        data=os.environ["REMEM_DATA"],
        file="excerpt_tot_semantic_sampled_100.json",
        subset=None,
        subset_seed=0,
    )
    parsed = {
        question.query.text: parse_tot_question(question.query.text)
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    }
    assert parsed == {
        "When E19 started being the R59 of E77, which entity was the R59 of E71?": AtEvent(
            Triple(None, "R59", "E71"), Triple("E19", "R59", "E77")
        ),
        "At what time did E92 stop being the R88 of E11?": WhenEdge(
            Triple("E92", "R88", "E11"), "stop"
        ),
        "At the start time of E83 being the R11 of E95, which entity was the R20 of E59?": AtEvent(
            Triple(None, "R20", "E59"), Triple("E83", "R11", "E95")
        ),
    }


def test_an_ordinal_beyond_all_numbers_is_none():
    # Python converts no more than 4,300 digits.
    asked = f"For how many years was E9 the R1 of E2 for the {'1' * 5000}st time?"
    assert not isinstance(parse_tot_question(asked), Duration)
