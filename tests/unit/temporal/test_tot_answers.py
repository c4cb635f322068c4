"""Answers worked out by hand for each question type: whole graphs, ties and missing facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.statements import Statement, Triple, parse_tot_statement
from remem.temporal.tot_answers import answer_tot
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
from remem.time_scope import TimePoint


def stated(*rows: tuple[str, str, str, int, int]) -> list[Statement]:
    return [
        Statement(subject, predicate, obj, TimePoint(start), TimePoint(end))
        for subject, predicate, obj, start, end in rows
    ]


HOLDERS = stated(
    ("E12", "R1", "E3", 1950, 1955),
    ("E4", "R1", "E3", 1952, 1955),
    ("E20", "R1", "E3", 1952, 1955),
    ("E5", "R1", "E3", 1957, 1960),
    ("E6", "R1", "E3", 1960, 1962),
    ("E7", "R1", "E3", 1960, 1961),
    # other relations, other objects and the other direction, to be passed over
    ("E5", "R11", "E3", 1958, 1959),
    ("E5", "R1", "E33", 1900, 1999),
    ("E3", "R1", "E5", 1900, 1940),
    ("E3", "R1", "E9", 1930, 1935),
)
OF_E3 = Triple(None, "R1", "E3")
BY_E3 = Triple("E3", "R1", None)


def holder(subject: str) -> Triple:
    return Triple(subject, "R1", "E3")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (AtYear(OF_E3, 1950), "E12"),
        (AtYear(OF_E3, 1951), "E12"),
        (AtYear(OF_E3, 1953), "E4"),  # E12, E4 and E20 hold: the smallest number, not "E12"
        (AtYear(OF_E3, 1955), "E4"),
        (AtYear(OF_E3, 1956), None),
        (AtYear(OF_E3, 1962), "E6"),
        (AtYear(OF_E3, 1963), None),
        (AtYear(BY_E3, 1936), "E5"),
        (AtYear(BY_E3, 1933), "E5"),  # E5 and E9 hold
        (AtYear(BY_E3, 1941), None),
        (AtYear(Triple(None, "R2", "E3"), 1953), None),
    ],
)
def test_at_a_time_is_from_the_start_to_the_end_both_included(question, answer):
    assert answer_tot(question, HOLDERS) == answer


@pytest.mark.parametrize(
    ("target", "anchor", "answer"),
    [
        (OF_E3, Triple("E5", "R11", "E3"), "E5"),  # 1958
        (OF_E3, holder("E6"), "E5"),  # 1960: E5 ends, E6 and E7 begin
        (Triple("E5", "R1", None), holder("E12"), "E33"),
        (BY_E3, Triple("E3", "R1", "E9"), "E5"),  # 1930
        (OF_E3, Triple("E3", "R1", "E5"), None),  # nobody held in 1900
        (OF_E3, Triple("E8", "R1", "E3"), None),  # the anchor is not there
    ],
)
def test_at_an_event_is_when_the_event_starts(target, anchor, answer):
    assert answer_tot(AtEvent(target, anchor), HOLDERS) == answer


REPEATED = stated(
    ("E1", "R1", "E2", 1970, 1974),
    ("E1", "R1", "E2", 1950, 1951),
    ("E1", "R1", "E2", 1960, 1960),
    ("E8", "R1", "E2", 1955, 1965),
    ("E9", "R1", "E2", 1949, 1951),
)


def test_an_event_that_happened_repeatedly_counts_from_its_first_start():
    held = AtEvent(Triple(None, "R1", "E2"), Triple("E1", "R1", "E2"))
    assert answer_tot(held, REPEATED) == "E1"
    assert answer_tot(AtEvent(OF_E3, Triple("E1", "R1", "E2")), HOLDERS + REPEATED) == "E12"


@pytest.mark.parametrize(
    ("triple", "edge", "answer"),
    [
        (holder("E5"), "start", "1957"),
        (holder("E5"), "stop", "1960"),
        (Triple("E3", "R1", "E9"), "stop", "1935"),
        (holder("E9"), "start", None),  # the other direction
        (Triple("E5", "R2", "E3"), "stop", None),
    ],
)
def test_when_a_relation_started_or_stopped_is_a_year(triple, edge, answer):
    assert answer_tot(WhenEdge(triple, edge), HOLDERS) == answer


def test_of_repeated_occurrences_the_first_tells_when_it_started_and_stopped():
    triple = Triple("E1", "R1", "E2")
    assert answer_tot(WhenEdge(triple, "start"), REPEATED) == "1950"
    assert answer_tot(WhenEdge(triple, "stop"), REPEATED) == "1951"


@pytest.mark.parametrize(
    ("first", "last", "answer"),
    [
        (1940, 1949, "0"),
        (1940, 1950, "1"),  # E12 started in the last year
        (1955, 1957, "4"),  # three end in the first year, one starts in the last
        (1956, 1956, "0"),
        (1956, 1957, "1"),
        (1953, 1954, "3"),  # they span the whole interval
        (1962, 1970, "1"),  # E6 ended in the first year
        (1963, 1970, "0"),
        (1900, 2000, "6"),
    ],
)
def test_a_count_includes_what_ends_or_starts_at_its_borders(first, last, answer):
    assert answer_tot(CountBetween(OF_E3, first, last), HOLDERS) == answer


def test_a_count_is_of_entities_not_of_facts():
    assert answer_tot(CountBetween(Triple(None, "R1", "E2"), 1900, 2000), REPEATED) == "3"
    assert answer_tot(CountBetween(Triple("E1", "R1", None), 1900, 2000), REPEATED) == "1"


@pytest.mark.parametrize("count", [0, 7])
def test_a_count_that_a_tool_took_is_the_answer(count):
    assert answer_tot(CountBetween(OF_E3, 1955, 1957), HOLDERS, count) == str(count)
    assert answer_tot(CountBetween(OF_E3, 1955, 1957), [], count) == str(count)


def test_a_count_answers_no_other_question():
    assert answer_tot(AtYear(OF_E3, 1951), HOLDERS, 7) == "E12"


@pytest.mark.parametrize(
    ("anchor", "side", "answer"),
    [
        ("E5", "before", "E4"),  # three end in 1955: latest start, then smallest number
        ("E5", "after", "E7"),  # two start in 1960: the one that ends first
        ("E6", "before", "E5"),  # an end in the year of the start counts
        ("E7", "after", None),
        ("E12", "before", None),
        ("E12", "after", "E5"),
        ("E8", "before", None),  # an anchor that never held
        ("E8", "after", None),
    ],
)
def test_a_neighbour_is_the_latest_end_before_or_the_earliest_start_after(anchor, side, answer):
    assert answer_tot(Neighbour(OF_E3, anchor, side), HOLDERS) == answer


def test_an_anchor_is_no_neighbour_of_itself_and_its_first_occurrence_counts():
    of_e2 = Triple(None, "R1", "E2")
    assert answer_tot(Neighbour(of_e2, "E1", "after"), REPEATED) == "E8"
    assert answer_tot(Neighbour(of_e2, "E8", "before"), REPEATED) == "E1"
    assert answer_tot(Neighbour(of_e2, "E8", "after"), REPEATED) == "E1"
    assert answer_tot(Neighbour(of_e2, "E1", "before"), REPEATED) is None


@pytest.mark.parametrize(
    ("rows", "first", "last"),
    [
        ([("E2", 1950, 1960), ("E1", 1951, 1959)], "E2", "E2"),
        ([("E12", 1950, 1951), ("E3", 1950, 1955)], "E12", "E3"),  # first: the one that ends first
        ([("E12", 1950, 1955), ("E3", 1950, 1955)], "E3", "E3"),  # 3 is less than 12
        ([("E1", 1950, 1955), ("E2", 1953, 1955)], "E1", "E2"),  # last: the one that starts last
        ([("E1", 1950, 1950), ("E2", 1960, 1961), ("E1", 1970, 1971)], "E1", "E1"),
        ([], None, None),
    ],
)
def test_first_is_by_start_and_last_by_end(rows, first, last):
    facts = stated(*((who, "R1", "E3", start, end) for who, start, end in rows))
    assert answer_tot(FirstLast(OF_E3, "first"), facts) == first
    assert answer_tot(FirstLast(OF_E3, "last"), facts) == last


@pytest.mark.parametrize(
    ("ordinal", "answer"), [(1, "1"), (2, "0"), (3, "4"), (4, None), (0, None)]
)
def test_occurrences_count_by_start_and_last_end_minus_start_years(ordinal, answer):
    assert answer_tot(Duration(Triple("E1", "R1", "E2"), ordinal), REPEATED) == answer


def test_a_timeline_lists_each_entity_once_by_its_first_place():
    assert answer_tot(Timeline(OF_E3, "start"), HOLDERS) == "E12,E4,E20,E5,E7,E6"
    assert answer_tot(Timeline(OF_E3, "end"), HOLDERS) == "E12,E4,E20,E5,E7,E6"
    of_e2 = Triple(None, "R1", "E2")
    assert answer_tot(Timeline(of_e2, "start"), REPEATED) == "E9,E1,E8"
    assert answer_tot(Timeline(of_e2, "end"), REPEATED) == "E9,E1,E8"
    assert answer_tot(Timeline(Triple(None, "R9", "E2"), "end"), REPEATED) is None


def test_a_timeline_by_end_differs_from_one_by_start():
    facts = stated(("E1", "R1", "E3", 1950, 1980), ("E2", "R1", "E3", 1960, 1970))
    assert answer_tot(Timeline(OF_E3, "start"), facts) == "E1,E2"
    assert answer_tot(Timeline(OF_E3, "end"), facts) == "E2,E1"


WORDINGS = [
    "Which entity was the R1 of E3 in 1953?",
    "At the start time of E6 being the R1 of E3, which entity was the R1 of E3?",
    "At what time did E5 stop being the R1 of E3?",
    "How many unique entities were the R1 of E3 between 1955 to 1957? Note: relations that ended "
    "in 1955 or started in 1957 must be counted as well.",
    "Immediately before E5, which entity was the R1 of E3?",
    "Immediately after E5, which entity was the R1 of E3?",
    "Which entity has been the first R1 of E3?",
    "Which entity has been the last R1 of E3?",
    "The 2nd time it happened, for how many years was E1 the R1 of E2?",
    "Find all entities that were the R1 of E3 and list them separated by commas. Sort by start "
    "time ascending.",
    "Find all entities that were the R1 of E3 and list them separated by commas. Sort by end time "
    "ascending.",
]
QUESTIONS = [parse_tot_question(text) for text in WORDINGS]


@given(st.permutations(HOLDERS + REPEATED), st.lists(st.sampled_from(HOLDERS + REPEATED)))
def test_neither_order_nor_repeats_of_the_facts_change_an_answer(facts, repeats):
    for question in QUESTIONS:
        assert answer_tot(question, facts + repeats) == answer_tot(question, HOLDERS + REPEATED)


@pytest.mark.parametrize("question", QUESTIONS)
def test_without_facts_only_a_count_has_an_answer(question):
    expected = "0" if isinstance(question, CountBetween) else None
    assert answer_tot(question, []) == expected


ROWS = st.tuples(
    st.sampled_from(("E1", "E3", "E4", "E5", "E6", "E12")),
    st.sampled_from(("R1", "R11")),
    st.sampled_from(("E2", "E3")),
    st.integers(1950, 1960),
    st.integers(0, 5),
)


@given(rows=st.lists(ROWS, max_size=12))
def test_it_agrees_with_the_literal_solver_on_any_facts(rows, tot_brute_force):
    lines = [
        f"{who} was the {what} of {whom} from {start} to {start + years}."
        for who, what, whom, start, years in rows
    ]
    facts = [parse_tot_statement(line) for line in lines]
    for text, question in zip(WORDINGS, QUESTIONS, strict=True):
        assert answer_tot(question, facts) == tot_brute_force.solve(text, lines), text
