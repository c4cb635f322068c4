"""The fixed plans: three searches for free text, one search for REMem-S."""

import pytest

from remem.memory.scripted_planners import ScriptedPlanner, SingleStep
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.types import Gist, Observation, Step, ToolCall

QUERY = "Who bought the boat?"
TOOLS = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
FOUND = Observation("", gists=tuple(Gist(f"g{at}", "text", None, "s1", ("m1",)) for at in (7, 3)))
NOTHING = Observation("")


def calls(planner, observation, tools=TOOLS, budget=9):
    """Let a planner run; every call but the last returns the observation."""
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


def test_without_gists_there_is_nothing_to_look_around():
    assert calls(ScriptedPlanner(), NOTHING) == [*SEARCHES, END]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("semantic_retrieve", [SEARCHES[1], CONTEXTS, END]),
        ("lexical_retrieve", [SEARCHES[0], CONTEXTS, END]),
        ("find_gist_contexts", [*SEARCHES, END]),
        ("find_entity_contexts", [*SEARCHES, CONTEXTS, END]),
    ],
)
def test_tools_that_are_not_offered_are_left_out_of_the_script(missing, expected):
    tools = [tool for tool in TOOLS if tool != missing]
    assert calls(ScriptedPlanner(), FOUND, tools) == expected


def test_a_call_that_failed_is_not_repeated():
    failed = Observation("It cannot be carried out.", error=True)
    assert calls(ScriptedPlanner(), failed) == [*SEARCHES, END]


@pytest.mark.parametrize("tool", ["semantic_retrieve", "lexical_retrieve"])
def test_a_single_step_searches_once_with_the_question_as_it_is(tool):
    assert calls(SingleStep(tool=tool), FOUND) == [(tool, {"query": QUERY}), END]


def test_a_single_step_whose_tool_is_not_offered_ends_at_once():
    planner = SingleStep(tool="lexical_retrieve")
    assert calls(planner, FOUND, ("semantic_retrieve", "output_answer")) == [END]


@pytest.mark.parametrize("planner", [ScriptedPlanner(), SingleStep(tool="semantic_retrieve")])
def test_a_planner_remembers_nothing_of_other_questions(planner):
    first = calls(planner, FOUND)
    assert calls(planner, FOUND) == first
    assert planner.next_call("And who sold it?", (), TOOLS) == ToolCall(
        "semantic_retrieve",
        {"query": "And who sold it?"},
        planner.next_call(QUERY, (), TOOLS).thought,
    )
