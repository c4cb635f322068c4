"""The planner for templated questions drives the tools of Table 1 and nothing else."""

import pytest
from pydantic import TypeAdapter

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.remem_memory import REMem
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.symbolic_planner import SymbolicPlanner
from remem.memory.tool_rules import ToolRules
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.types import Episode, History, Message, Observation, Query, Step, ToolCall

TOOLS = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
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
    """Every text has the same vector: the planner must not depend on similarity."""

    dimension = 1

    def embed_documents(self, texts):
        return HashingEmbedder(dimension=1).embed_documents([""] * len(texts))

    def embed_queries(self, texts, target):
        return self.embed_documents(texts)


@pytest.fixture(scope="module")
def memory():
    built = REMem(
        extractor=RulesExtractor(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=WithoutMeaning(),
        dense=NumpyDense,
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
        planner=SymbolicPlanner(),
        max_steps=5,
        top_k=10,
        synonymy_threshold=0.8,
        rules=ToolRules("keep", "gists_and_facts", "episode_and_similar", "any", "all", "error"),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )
    episodes = (Episode(f"e{at}", (Message(f"F{at}", "", line),)) for at, line in enumerate(LINES))
    built.index(History("h", tuple(episodes)))
    return built


def ask(memory, text):
    return memory.recall(Query("h/0", "h", 0, text))


LISTED = "Give me a comma-separated list of all entities that were the R3 of E7 in the order of "


@pytest.mark.parametrize(
    ("text", "answer", "calls"),
    [
        ("Which entity was the R1 of E9 in 1957?", "E2", 2),
        ("In 1980, E1 was the R1 of which entity?", "E8", 2),
        ("At what time did E3 start being the R1 of E9?", "1959", 2),
        ("At what time did E3 stop being the R1 of E9?", "1961", 2),
        (
            "Between 1955 to 1959, how many unique entities where the R1 of E9? Relations that "
            "ended in 1955 or started in 1959 should also be counted.",
            "3",
            2,
        ),
        (
            "Between 1970 to 1975, how many unique entities where the R1 of E9? Relations that "
            "ended in 1970 or started in 1975 should also be counted.",
            "0",
            2,
        ),
        ("Immediately before E2, which entity was the R1 of E9?", "E1", 2),
        ("Which entity was the R1 of E9 immediately after E3?", "E1", 2),
        ("When E4 started being the R2 of E5, which entity was the R1 of E9?", "E2", 3),
        ("E1 was the R1 of which entity at the time when E4 started being the R2 of E5?", "E8", 3),
        ("Which entity has been the first R1 of E9?", "E1", 2),
        ("Which entity was the last that was the R1 of E9?", "E1", 2),
        ("The 2nd time it happened, for how many years was E1 the R1 of E9?", "7", 2),
        (
            f"{LISTED}start time from lowest to highest.",
            ",".join(f"E{60 + at}" for at in range(25)),
            2,
        ),
        (
            f"{LISTED}end time from lowest to highest.",
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
        "Immediately before E1, which entity was the R1 of E9?",
        "When E5 started being the R2 of E4, which entity was the R1 of E9?",
        "When E4 started being the R2 of E5, which entity was the R1 of E77?",
        "The 3rd time it happened, for how many years was E1 the R1 of E9?",
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


def test_it_gives_up_when_the_tool_does_not_carry_out_its_call():
    planner = SymbolicPlanner()
    text = "Which entity was the R1 of E9 in 1957?"
    first = planner.next_call(text, (), TOOLS)
    refused = (Step(first, Observation("It is not offered here.", error=True)),)
    assert planner.next_call(text, refused, TOOLS).tool == "output_answer"
    assert planner.next_call(text, refused, TOOLS).arguments == {"answer": ""}


def test_its_choice_depends_on_nothing_but_the_query_and_what_the_steps_say(memory):
    text = "When E4 started being the R2 of E5, which entity was the R1 of E9?"
    taken = ask(memory, text).steps
    steps_type = TypeAdapter(tuple[Step, ...])
    for seen in range(len(taken)):
        told = steps_type.validate_json(steps_type.dump_json(taken[:seen]))
        again = SymbolicPlanner().next_call(text, told, TOOLS)
        assert again == ToolCall(
            taken[seen].call.tool, taken[seen].call.arguments, taken[seen].call.thought
        )
