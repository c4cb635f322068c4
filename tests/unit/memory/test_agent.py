"""The agent loop against Algorithm 2 of the paper; T_max counts output_answer."""

from dataclasses import replace

import pytest

from remem.errors import ModelUnavailableError
from remem.memory.agent import run_agent
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.types import Fact, Gist, Observation, ToolCall, Usage

SEARCH = ToolCall("semantic_retrieve", {"query": "boat"}, "Search.")
LOOK = ToolCall("find_entity_contexts", {"subject": "Ann"}, "Look.")
ANSWER = ToolCall("output_answer", {"answer": "a red boat"}, "Done.")


class Plan:
    """Makes the given calls in turn and notes what it was shown."""

    def __init__(self, *calls):
        self.calls = calls
        self.shown = []

    def next_call(self, query, steps, tools):
        self.shown.append((query, tuple(steps), tuple(tools)))
        return self.calls[len(steps)]


class Shelf:
    """Stands in for the tools: each call returns the next of the given observations."""

    def __init__(self, *observations):
        self._left = list(observations)

    def execute(self, call, question):
        return self._left.pop(0)


def gist(number):
    return Gist(f"g{number}", f"gist {number}", None, "s1", ("m1",))


def fact(number):
    return Fact(f"f{number}", "Ann", "has", f"boat {number}", None, "s1", ("m1",))


def run(toolbox, plan, max_steps=5):
    return run_agent(
        "What did Ann buy?",
        planner=plan,
        toolbox=toolbox,
        offered=lambda steps: (*RETRIEVAL_AND_EXPLORATION, "output_answer"),
        max_steps=max_steps,
    )


def test_the_loop_ends_when_an_answer_is_put_out_and_the_planner_sees_the_steps_so_far(toolbox):
    plan = Plan(SEARCH, LOOK, ANSWER)
    evidence = run(toolbox, plan)
    assert [step.call for step in evidence.steps] == [SEARCH, LOOK, ANSWER]
    assert evidence.proposed_answer == "a red boat"
    assert evidence.steps[-1].observation == Observation("Answer proposed.")
    tools = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
    assert plan.shown == [("What did Ann buy?", evidence.steps[:seen], tools) for seen in range(3)]


def test_an_outage_has_cost_what_the_steps_before_it_took(toolbox):
    class Failing(Plan):
        def next_call(self, query, steps, tools):
            if len(steps) == 2:
                outage = ModelUnavailableError("no connection")
                outage.usage = Usage(1, 5, 0)
                raise outage
            return super().next_call(query, steps, tools)

    plan = Failing(*(replace(call, usage=Usage(1, 100, 10)) for call in (SEARCH, LOOK)))
    with pytest.raises(ModelUnavailableError) as caught:
        run(toolbox, plan)
    assert caught.value.usage == Usage(3, 205, 20)


@pytest.mark.parametrize(("max_steps", "proposed"), [(2, None), (3, "a red boat")])
def test_t_max_counts_tool_calls_and_output_answer_among_them(toolbox, max_steps, proposed):
    plan = Plan(SEARCH, LOOK, ANSWER)
    evidence = run(toolbox, plan, max_steps)
    assert len(evidence.steps) == len(plan.shown) == max_steps
    assert evidence.proposed_answer == proposed
    assert evidence.gists  # the evidence so far is what is synthesised from


@pytest.mark.parametrize("arguments", [{"answer": ["a", "b"]}, {"reply": "a boat"}])
def test_an_answer_that_cannot_be_read_costs_a_step_and_can_be_mended(toolbox, arguments):
    evidence = run(toolbox, Plan(ToolCall("output_answer", arguments), ANSWER))
    assert evidence.steps[0].observation.error
    assert "output_answer takes answer" in evidence.steps[0].observation.message
    assert evidence.proposed_answer == "a red boat"
    assert len(evidence.steps) == 2


@pytest.mark.parametrize(
    ("arguments", "proposed"), [({"answer": ""}, ""), ({}, None), ({"answer": None}, None)]
)
def test_an_empty_answer_or_none_ends_the_loop_too(toolbox, arguments, proposed):
    evidence = run(toolbox, Plan(ToolCall("output_answer", arguments), SEARCH))
    assert len(evidence.steps) == 1
    assert evidence.proposed_answer == proposed


def test_evidence_is_fused_by_the_ranks_over_all_steps():
    shelf = Shelf(
        Observation("", gists=(gist(1), gist(2)), facts=(fact(1), fact(2), fact(3))),
        Observation("", gists=(gist(2), gist(3)), facts=(fact(4), fact(3))),
    )
    evidence = run(shelf, Plan(SEARCH, LOOK, ANSWER))
    # gists: 2 has 1/62 + 1/61, 1 has 1/61, 3 has 1/62
    assert evidence.gists == (gist(2), gist(1), gist(3))
    # facts: 3 has 1/63 + 1/62; 1 and 4 have 1/61, the one seen first first; 2 has 1/62
    assert evidence.facts == (fact(3), fact(1), fact(4), fact(2))


def test_two_places_at_rank_61_outweigh_one_first_place():
    # 2 / (60 + 61) > 1 / (60 + 1): ranks begin at one
    first, both = fact(1), fact(61)
    shelf = Shelf(
        Observation("", facts=(first, *(fact(number) for number in range(2, 61)), both)),
        Observation("", facts=(*(fact(number) for number in range(101, 161)), both)),
    )
    order = [found.id for found in run(shelf, Plan(SEARCH, LOOK, ANSWER)).facts]
    assert order[:2] == ["f61", "f1"]


def test_a_call_that_was_made_is_not_carried_out_again():
    again = ToolCall("semantic_retrieve", {"query": "boat", "end_time": None}, "Once more.")
    shelf = Shelf(Observation("", gists=(gist(1),)))
    evidence = run(shelf, Plan(SEARCH, again, ANSWER))
    assert evidence.steps[1].observation == Observation(
        "Already called in step 1, see there; make another call.", error=True
    )
    assert evidence.proposed_answer == "a red boat"


def test_a_call_with_other_arguments_or_of_another_tool_is_another_call(toolbox):
    words = ToolCall("lexical_retrieve", {"query": "boat"})
    earlier = ToolCall("semantic_retrieve", {"query": "boat", "end_time": "2022"})
    evidence = run(toolbox, Plan(SEARCH, words, earlier, ANSWER))
    assert not any(step.observation.error for step in evidence.steps)


def test_what_the_planner_spent_is_added_up(toolbox):
    plan = Plan(
        ToolCall("semantic_retrieve", {"query": "boat"}, usage=Usage(1, 900, 30)),
        ToolCall("output_answer", {}, usage=Usage(2, 2100, 50)),
    )
    assert run(toolbox, plan).usage == Usage(3, 3000, 80)
