"""Which questions count as proper, on a few facts made by hand."""

import numpy as np
import pytest

from remem.benchmarks.tot.facts import TemporalFact
from remem.benchmarks.tot.sampling import draw_question, wordings


def held(*holders):
    """Facts on who was the R1 of E9."""
    return [TemporalFact(who, "R1", "E9", start, end) for who, start, end in holders]


def draw(question_type, facts, which=""):
    wording = next(w for w in wordings()[question_type] if w.which == which)
    return draw_question(question_type, wording, facts, np.random.default_rng(0))


def test_two_holders_in_every_year_leave_no_question_on_a_year():
    assert draw("event_at_time_t", held(("E1", 1950, 1960), ("E2", 1950, 1960))) is None


def test_a_triple_with_two_intervals_leaves_no_question_on_its_time():
    assert draw("event_at_what_time", held(("E1", 1950, 1952), ("E1", 1955, 1960)), "start") is None


def test_stop_asks_for_the_end():
    question, label = draw("event_at_what_time", held(("E1", 1950, 1952)), "stop")
    assert (question, label) == ("At what time did E1 stop being the R1 of E9?", "1952")


def test_the_only_one_before_is_a_proper_neighbour():
    facts = held(("E1", 1950, 1954), ("E2", 1955, 1960))
    asked = "Which entity was the R1 of E9 immediately {} {}?"
    assert draw("before_after", facts, "before") == (asked.format("before", "E2"), "E1")
    assert draw("before_after", facts, "after") == (asked.format("after", "E1"), "E2")


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize(
    "facts",
    [
        held(("E1", 1950, 1955), ("E2", 1955, 1960)),  # they touch: strictly before it is nobody
        held(("E1", 1950, 1956), ("E2", 1955, 1960)),  # they overlap
        held(("E1", 1950, 1960), ("E2", 1952, 1955)),  # one contains the other
        held(("E1", 1950, 1952), ("E1", 1954, 1956)),  # the anchor is the only one, twice
        held(("E1", 1950, 1950), ("E2", 1950, 1950)),  # the same year
    ],
)
def test_a_neighbour_that_depends_on_the_reading_is_not_asked_for(facts, which):
    assert draw("before_after", facts, which) is None


def test_neighbours_that_start_and_end_in_different_orders_are_not_asked_for():
    facts = held(("E1", 1950, 1958), ("E2", 1952, 1956), ("E3", 1960, 1961), ("E3", 1970, 1971))
    assert draw("before_after", facts, "before") is None


@pytest.mark.parametrize("which", ["first", "last"])
def test_first_and_last_must_agree_by_start_and_by_end(which):
    assert draw("first_last", held(("E1", 1950, 1960), ("E2", 1952, 1955)), which) is None
    assert draw("first_last", held(("E1", 1950, 1951), ("E1", 1953, 1955)), which) is None
    _, label = draw("first_last", held(("E1", 1950, 1956), ("E2", 1952, 1958)), which)
    assert label == {"first": "E1", "last": "E2"}[which]


def test_the_anchor_of_an_event_must_hold_once_and_its_answer_be_unique():
    anchor = TemporalFact("E5", "R2", "E6", 1955, 1957)
    both = held(("E1", 1950, 1960), ("E2", 1950, 1955))
    question_type = "event_at_the_time_of_another_event"
    assert draw(question_type, [anchor, *both]) is None
    question, label = draw(question_type, [anchor, both[1]])
    assert question == (
        "At the start time of E5 being the R2 of E6, which entity was the R1 of E9?"
    )
    assert label == "E2"


def test_a_duration_needs_several_occurrences():
    assert draw("relation_duration", held(("E1", 1950, 1952), ("E2", 1960, 1961))) is None
    question, label = draw("relation_duration", held(("E1", 1960, 1967), ("E1", 1950, 1952)))
    assert label == ("2" if "1st time" in question else "7")


@pytest.mark.parametrize(
    "facts",
    [
        held(("E1", 1950, 1955)),  # only one entity
        held(("E1", 1950, 1952), ("E1", 1955, 1956), ("E2", 1960, 1961)),  # an entity twice
        held(("E1", 1950, 1955), ("E2", 1951, 1955)),  # a tie in the end
    ],
)
def test_a_timeline_has_several_entities_once_each_without_ties(facts):
    assert draw("timeline", facts, "end") is None


def test_a_timeline_follows_the_key_it_is_asked_for():
    facts = held(("E1", 1950, 1960), ("E2", 1951, 1955))
    assert draw("timeline", facts, "start")[1] == "E1,E2"
    assert draw("timeline", facts, "end")[1] == "E2,E1"


def test_an_unknown_question_type_is_refused():
    wording = wordings()["timeline"][0]
    with pytest.raises(ValueError, match="'riddle' is not one of"):
        draw_question("riddle", wording, [], np.random.default_rng(0))
