"""The reader for templated questions reads facts, passages and counts; else it refuses."""

import pytest

from remem.metrics.tokens import estimated_tokens
from remem.readers.dataset_prompt import SymbolicReader
from remem.time_scope import TimePoint, TimeScope
from remem.types import (
    REFUSAL_PHRASE,
    Evidence,
    Fact,
    Gist,
    Observation,
    Passage,
    Query,
    Step,
    ToolCall,
)

WHO_IN = "Which entity was the R1 of E9 in {}?"
HOW_MANY = (
    "Between 1950 to 1960, how many unique entities where the R1 of E9? Relations that ended in "
    "1950 or started in 1960 should also be counted."
)


def fact(subject, start, end, predicate="R1"):
    time = TimeScope(start_time=TimePoint(start), end_time=TimePoint(end))
    return Fact(f"{subject}{start}", subject, predicate, "E9", time, "e1", ("m1",))


def passage(text):
    return Passage("p1", text, None, ("m1",))


def counted(*counts):
    return tuple(
        Step(ToolCall("find_entity_contexts"), Observation("", count=count)) for count in counts
    )


def read(text, **evidence):
    return SymbolicReader().read(Query("q", "h", 0, text), Evidence(**evidence)).text


def test_it_answers_from_the_statements_in_passages_and_gists():
    both = passage(
        "E1 was the R1 of E9 from 1950 to 1955.\n  E2 was the R1 of E9 from 1956 to 1960.\nHello!"
    )
    assert read(WHO_IN.format(1957), passages=(both,)) == "E2"
    assert read(WHO_IN.format(1957), passages=(both, both)) == "E2"
    gist = Gist("g1", "E1 was the R1 of E9 from 1950 to 1960.", None, "e1", ("m1",))
    assert read(WHO_IN.format(1957), gists=(gist,)) == "E1"


def test_facts_and_passages_are_taken_together():
    first = passage("E1 was the R1 of E9 from 1950 to 1955.")
    text = (
        "Which entities were the R1 of E9? Provide a comma-separated list. Sort by end time "
        "ascending."
    )
    found = {"facts": (fact("E2", 1940, 1970),), "passages": (first,)}
    assert read(text, **found) == "E1,E2"
    assert read(HOW_MANY, **found) == "2"


@pytest.mark.parametrize(
    ("counts", "answer"),
    [((3,), "3"), ((3, 0), "0"), ((None, 4, None), "4"), ((None,), "1"), ((), "1")],
)
def test_the_last_count_that_a_tool_took_answers_a_count(counts, answer):
    assert read(HOW_MANY, facts=(fact("E1", 1950, 1955),), steps=counted(*counts)) == answer


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"facts": (fact("E1", 1950, 1955),)},
        {"facts": (fact("E1", 1957, 1957, predicate="R11"),)},
        {"facts": (Fact("f1", "E1", "R1", "E9", None, "e1", ("m1",)),)},
        {"proposed_answer": "E1"},  # the answer must follow from what is shown
    ],
)
def test_it_refuses_when_what_it_is_shown_does_not_tell(evidence):
    assert read(WHO_IN.format(1957), **evidence) == REFUSAL_PHRASE
    assert read("Who was it?", facts=(fact("E1", 1950, 1955),)) == REFUSAL_PHRASE


def test_it_reports_how_many_tokens_of_evidence_it_was_given():
    evidence = Evidence(facts=(fact("E1", 1950, 1955),), passages=(passage("Two words"),))
    answer = SymbolicReader().read(Query("q", "h", 0, WHO_IN.format(1950)), evidence)
    shown = "E1 | R1 | E9 | from 1950 to 1955\nTwo words"
    assert answer.context_tokens == estimated_tokens(shown)
    nothing = SymbolicReader().read(Query("q", "h", 0, "Who?"), Evidence())
    assert nothing.context_tokens == 0
