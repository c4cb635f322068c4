"""Planners without a model: the fixed plans, and the plans for templated questions."""

import pytest

from remem.embed.hashing import HashingEmbedder
from remem.memory.planners import (
    EVERYTHING,
    ScriptedPlanner,
    SingleStep,
    SymbolicPlanner,
    next_complex_tr_call,
)
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.temporal.complex_tr_questions import parse_complex_tr_question
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Fact, Gist, History, Message, Observation, Query, Step, ToolCall

QUERY = "Who bought the boat?"
TOOLS = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
FOUND = Observation("", gists=tuple(Gist(f"g{at}", "text", None, "s1", ("m1",)) for at in (7, 3)))


def calls(planner, observation, tools=TOOLS, budget=9):
    """Return the calls of a planner that gets the same observation for every call."""
    steps = []
    while len(steps) < budget:
        call = planner.next_call(QUERY, tuple(steps), tools)
        steps.append(Step(call, observation))
        if call.tool == "output_answer":
            break
    return [(step.call.tool, dict(step.call.arguments)) for step in steps]


SEARCHES = [("semantic_retrieve", {"query": QUERY}), ("lexical_retrieve", {"query": QUERY})]
CONTEXTS = ("find_gist_contexts", {"gist_id": "g7"})
END = ("output_answer", {})  # proposes nothing


def test_the_script_searches_twice_then_looks_around_the_best_gist():
    assert calls(ScriptedPlanner(), FOUND) == [*SEARCHES, CONTEXTS, END]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("semantic_retrieve", [SEARCHES[1], CONTEXTS, END]),
        ("find_gist_contexts", [*SEARCHES, END]),
    ],
)
def test_tools_that_are_not_offered_are_left_out_of_the_script(missing, expected):
    tools = [tool for tool in TOOLS if tool != missing]
    assert calls(ScriptedPlanner(), FOUND, tools) == expected


def test_a_call_that_failed_is_not_repeated():
    failed = Observation("It cannot be carried out.", error=True)
    assert calls(ScriptedPlanner(), failed) == [*SEARCHES, END]


def test_a_single_step_whose_tool_is_not_offered_ends_at_once():
    planner = SingleStep(tool="lexical_retrieve")
    assert calls(planner, FOUND, ("semantic_retrieve", "output_answer")) == [END]


LINES = (
    "E1 was the R1 of E9 from 1950 to 1955.",
    "E2 was the R1 of E9 from 1956 to 1960.",
    "E1 was the R1 of E9 from 1962 to 1969.",
    "E3 was the R1 of E9 from 1959 to 1961.",
    "E1 was the R1 of E8 from 1950 to 1999.",
    "E4 was the R2 of E5 from 1957 to 1958.",
    # names that contain those that are asked for, and must stay out
    "E11 was the R1 of E99 from 1950 to 1955.",
    "E22 was the R11 of E9 from 1952 to 1953.",
    *(f"E{60 + at} was the R3 of E7 from {1940 + at} to {1941 + at}." for at in range(25)),
)


class WithoutMeaning:
    """An embedder with one vector for all texts: the planner must not depend on similarity."""

    dimension = 1

    def embed_documents(self, texts):
        return HashingEmbedder(dimension=1).embed_documents([""] * len(texts))

    def embed_queries(self, texts, target):
        return self.embed_documents(texts)


@pytest.fixture(scope="module")
def memory(make_remem):
    built = make_remem(embedder=WithoutMeaning(), planner=SymbolicPlanner())
    episodes = (Episode(f"e{at}", (Message(f"F{at}", "", line),)) for at, line in enumerate(LINES))
    built.index(History("h", tuple(episodes)))
    return built


def ask(memory, text):
    return memory.recall(Query("h/0", "h", 0, text))


@pytest.mark.parametrize(
    ("text", "answer", "calls"),
    [
        ("Which entity was the R1 of E9 in 1957?", "E2", 2),
        ("In 1980, E1 was the R1 of which entity?", "E8", 2),
        (
            "Between 1970 to 1975, how many unique entities where the R1 of E9? Relations that "
            "ended in 1970 or started in 1975 should also be counted.",
            "0",
            2,
        ),
        ("When E4 started being the R2 of E5, which entity was the R1 of E9?", "E2", 3),
        (
            "Give me a comma-separated list of all entities that were the R3 of E7 in the order of "
            "start time from lowest to highest.",
            ",".join(f"E{60 + at}" for at in range(25)),
            2,
        ),
    ],
)
def test_a_question_is_answered_by_exploring_the_graph(memory, text, answer, calls):
    evidence = ask(memory, text)
    assert evidence.proposed_answer == answer
    tools = [step.call.tool for step in evidence.steps]
    assert tools == ["find_entity_contexts"] * (calls - 1) + ["output_answer"]
    assert all(step.call.thought for step in evidence.steps)
    assert not any(step.observation.error for step in evidence.steps)


@pytest.mark.parametrize(
    "text",
    [
        "Which entity was the R1 of E9 in 1999?",
        "When E5 started being the R2 of E4, which entity was the R1 of E9?",
        "When E4 started being the R2 of E5, which entity was the R1 of E77?",
    ],
)
def test_what_the_facts_do_not_tell_gets_an_empty_answer(memory, text):
    assert ask(memory, text).proposed_answer == ""


def test_a_question_of_unknown_wording_ends_at_once(memory):
    evidence = ask(memory, "Who bought the red boat?")
    assert [step.call.tool for step in evidence.steps] == ["output_answer"]
    assert evidence.proposed_answer == ""


def test_a_count_is_taken_by_the_tool_not_from_a_list(memory):
    evidence = ask(
        memory,
        "How many unique entities were the R3 of E7 between 1940 to 1990? Note: relations that "
        "ended in 1940 or started in 1990 must be counted as well.",
    )
    assert evidence.proposed_answer == "25"
    assert evidence.facts == ()
    assert evidence.steps[0].observation.count == 25


JOB = Fact(
    id="t0",
    subject="Ann Li",
    predicate="worked for",
    object="Acme",
    time=TimeScope(start_time=TimePoint(1990, 2), end_time=TimePoint(1995, 11)),
    episode_id="e0",
    source=("f0",),
)
STUDIES = {
    "subject": "Ann Li",
    "predicate": "studied at",
    "limit": EVERYTHING,
    "ordering": "asc",
}
JOBS = {"subject": "Ann Li", "predicate": "worked for", "limit": EVERYTHING, "ordering": "asc"}


def found(*facts, error=False):
    return Step(ToolCall("find_entity_contexts"), Observation("", facts=facts, error=error))


def call(end, *steps):
    question = parse_complex_tr_question(f"Where was Ann Li educated {end}?")
    assert question is not None
    return next_complex_tr_call(question, steps)


def overlapping(first, last):
    return STUDIES | {
        "start_time": last,
        "start_operator": "le",
        "end_time": first,
        "end_operator": "ge",
    }


@pytest.mark.parametrize(
    ("end", "arguments"),
    [
        ("in May 1990", overlapping("1990-05", "1990-05")),
        ("from May 1990 to March 1992", overlapping("1990-05", "1992-03")),
        ("1 years and 5 months before May 1990", overlapping("1988-12", "1988-12")),
    ],
)
def test_a_time_needs_one_search(end, arguments):
    first = call(end)
    assert first is not None
    assert (first.tool, first.arguments) == ("find_entity_contexts", arguments)
    assert call(end, found()) is None


@pytest.mark.parametrize(
    ("end", "arguments"),
    [
        (
            "before he/she worked for Acme",
            STUDIES | {"end_time": "1990-02", "end_operator": "le", "ordering": "desc"},
        ),
        (
            "after he/she worked for Acme",
            STUDIES | {"start_time": "1995-11", "start_operator": "ge", "ordering": "asc"},
        ),
        ("when he/she worked for Acme", overlapping("1990-02", "1995-11")),
        ("3 months before he/she worked for ACME (USA)", overlapping("1989-11", "1989-11")),
    ],
)
def test_an_event_is_searched_for_by_its_relation_then_what_fits_it(end, arguments):
    first, second = call(end), call(end, found(JOB))
    assert first is not None and second is not None
    assert (first.tool, first.arguments) == ("find_entity_contexts", JOBS)
    assert (second.tool, second.arguments) == ("find_entity_contexts", arguments)
    assert call(end, found(JOB), found()) is None


def test_an_event_that_is_not_found_ends_the_search():
    given_up = call("before he/she worked for Beta", found(JOB))
    assert given_up is not None
    assert (given_up.tool, given_up.arguments) == ("output_answer", {"answer": ""})


def test_the_planner_puts_out_what_the_facts_tell_or_gives_up_after_an_error():
    question = "Which employer did Ann Li work for in May 1990?"
    planner = SymbolicPlanner()
    assert planner.next_call(question, [found(JOB)], []).arguments == {"answer": "Acme"}
    assert planner.next_call(question, [found()], []).arguments == {"answer": ""}
    assert planner.next_call(question, [found(JOB, error=True)], []).arguments == {"answer": ""}
