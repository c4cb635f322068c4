"""Statements of both datasets: the templates are parsed exactly, other texts are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.dates import MONTHS
from remem.temporal.statements import (
    Statement,
    Triple,
    matching,
    open_entity,
    parse_complex_tr_statement,
    parse_tot_statement,
    statements_of,
)
from remem.time_scope import TimePoint, TimeScope
from remem.types import Fact

RELATIONS = [
    "studied at",
    "worked for",
    "played for",
    "held the position of",
    "was a member of the",
    "received",
    "was married to",
    "lived in",
    "was owned by",
    "was the head coach of",
    "was the chair of",
    "was the head of the government of",
    "was the head of the state of",
]


def test_a_statement_is_parsed_into_its_parts():
    assert parse_tot_statement("E59 was the R17 of E69 from 1966 to 1972.") == Statement(
        "E59", "R17", "E69", TimePoint(1966), TimePoint(1972)
    )


@given(
    st.integers(0, 99),
    st.integers(0, 99),
    st.integers(0, 99),
    st.integers(1, 9999),
    st.integers(0, 30),
)
def test_every_statement_of_the_template_is_read_back(subject, relation, target, start, years):
    end = min(start + years, 9999)
    line = f"E{subject} was the R{relation} of E{target} from {start} to {end}.\n"
    parsed = parse_tot_statement(line)
    assert parsed == Statement(
        f"E{subject}", f"R{relation}", f"E{target}", TimePoint(start), TimePoint(end)
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Which entity was the R17 of E69 in 1966?",
        "Here is a set of temporal facts:",
        "E1 was the R2 of E3 from 1990.",
        "E1 was the R2 of E3 from 1995 to 1990.",
        "E1 was the R2 of E3 from 1990 to 1995. E1 was the R2 of E4 from 1990 to 1995.",
        "Ann was the chair of Bank from May 1990 to June 1995.",
        "E1 was the R2 of E3 from 0 to 1995.",
    ],
)
def test_any_other_line_is_not_a_statement(line):
    assert parse_tot_statement(line) is None


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_statement_of_complex_tr_is_parsed_into_its_parts(relation):
    line = f"Ann Li {relation} Old Mill from May 1990 to June 1995."
    assert parse_complex_tr_statement(line) == Statement(
        "Ann Li", relation, "Old Mill", TimePoint(1990, 5), TimePoint(1995, 6)
    )


@pytest.mark.parametrize(
    ("subject", "relation", "target"),
    [
        ("Ada Poe, 3rd Countess of Ely", "held the position of", "member of the House"),
        ("Žydrūnė Šąla-Ąuė", "studied at", "École supérieure  (Lyon)"),
        ("Bo Ek", "was a member of the", "The People of Peace, Bread and Land"),
        ("Ib Ro", "was the head of the government of", "Far from Home"),
        ("Bo Ek", "worked for", 'House "A. B." & Sons, Inc.'),
    ],
)
@pytest.mark.parametrize("end", [".", ""])
def test_names_of_complex_tr_stay_as_they_are(subject, relation, target, end):
    line = f" {subject} {relation} {target} from January 1000 to December 2999{end} \n"
    parsed = parse_complex_tr_statement(line)
    assert parsed is not None
    assert (parsed.subject, parsed.predicate, parsed.object) == (subject, relation, target)


@given(st.integers(1000, 2999), st.integers(1, 12), st.integers(1000, 2999), st.integers(1, 12))
def test_every_month_of_complex_tr_is_read_and_none_runs_backwards(year, month, to_year, to_month):
    line = f"A worked for B from {MONTHS[month - 1]} {year} to {MONTHS[to_month - 1]} {to_year}."
    parsed = parse_complex_tr_statement(line)
    if (year, month) > (to_year, to_month):
        assert parsed is None
    else:
        assert parsed == Statement(
            "A", "worked for", "B", TimePoint(year, month), TimePoint(to_year, to_month)
        )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "E1 was the R2 of E3 from 1990 to 1995.",
        "Ann  in Mill from July 1907 to July 1943.",
        "Ann worked for Bank from 1990 to 1995.",
        "Ann worked for Bank from May 1990.",
        "Ann worked for Bank from Mai 1990 to June 1995.",
        "Ann admired Bank from May 1990 to June 1995.",
        "Which employers did Ann work for from May 1990 to June 1995?",
        "Ann worked for Bank from May 1990 to June 1995. She left.",
    ],
)
def test_any_other_line_is_not_a_statement_of_complex_tr(line):
    assert parse_complex_tr_statement(line) is None


def test_only_facts_with_a_start_and_an_end_are_statements():
    whole = TimeScope(start_time=TimePoint(1990, 5), end_time=TimePoint(1995))
    scopes = [whole, None, TimeScope(start_time=TimePoint(1990)), TimeScope(TimePoint(1991))]
    facts = [Fact("f", "A", "worked for", "B", scope, "e", ("m",)) for scope in scopes]
    assert statements_of(facts) == [
        Statement("A", "worked for", "B", TimePoint(1990, 5), TimePoint(1995)),
        Statement("A", "worked for", "B", TimePoint(1991), TimePoint(1991)),
    ]


def test_a_triple_matches_what_it_states_and_asks_for_the_rest():
    year = TimePoint(1990)
    facts = [
        Statement("A", "R", "B", year, year),
        Statement("C", "R", "B", year, year),
        Statement("A", "S", "B", year, year),
        Statement("B", "R", "A", year, year),
    ]
    who, whom = Triple(None, "R", "B"), Triple("A", "R", None)
    assert [open_entity(who, fact) for fact in matching(who, facts)] == ["A", "C"]
    assert [open_entity(whom, fact) for fact in matching(whom, facts)] == ["B"]
