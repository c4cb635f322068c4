"""The examples in the prompts match what the code renders, accepts and asks for."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from baselines import hipporag2_openie as openie
from remem.judge import beam_judge, cue_judge, llm_judge
from remem.memory.agent import run_agent
from remem.memory.extraction_replies import (
    FACTS_SCHEMA,
    GISTS_SCHEMA,
    fact_said,
    fact_scope,
    gist_scope,
    parse_facts,
    parse_gists,
)
from remem.memory.llm_planner import parse_call
from remem.memory.remem_memory import REMem
from remem.memory.tool_arguments import describe, reply_schema, tool_specs
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.prompts.interaction import Cap, interaction_lines
from remem.prompts.library import own_library
from remem.prompts.replies import json_objects
from remem.protocols import ChatReply
from remem.readers.answer_lines import parse_answer
from remem.readers.choice import parse_choice
from remem.readers.direct import parse_tagged_answer
from remem.results import temporal_classes
from remem.types import Step, ToolCall, Usage

TOOLS = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
SPECS = tool_specs(TOOLS)
QUESTION = "How many concerts has Priya been to since she moved to Lyon?"


def reply(text: str) -> ChatReply:
    return ChatReply(text, (), False, Usage())


def assert_fits(value: Any, schema: Mapping[str, Any], where: str = "reply") -> None:
    """Check a value against the part of JSON Schema that our requests use."""
    if "anyOf" in schema:
        tried = [fits(value, choice) for choice in schema["anyOf"]]
        assert any(tried), where
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    python = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
    assert isinstance(value, tuple(python[kind] for kind in kinds)), where
    assert value in schema.get("enum", [value]), where
    if isinstance(value, list):
        for number, item in enumerate(value):
            assert_fits(item, schema["items"], f"{where}[{number}]")
    if isinstance(value, dict):
        assert schema["additionalProperties"] is False
        assert set(value) == set(schema["required"]) == set(schema["properties"]), where
        for name, item in value.items():
            assert_fits(item, schema["properties"][name], f"{where}.{name}")


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    try:
        assert_fits(value, schema)
    except AssertionError:
        return False
    return True


def shown(name: str, **values: Any) -> str:
    """Return all messages of a prompt but the last one, which holds the question."""
    *told, _ = own_library().load(name).render(**values)
    return "\n".join(message.content for message in told)


# The planner


def planner_prompt(*, native: bool) -> str:
    return shown(
        "planner.v1",
        native=native,
        tools=describe(SPECS),
        question="?",
        steps="",
        cap=Cap(30, 1000),
        calls_left=3,
    )


def demonstrated() -> list[dict[str, Any]]:
    prompt = planner_prompt(native=False)
    assert f'with the question "{QUESTION}"' in prompt
    return [found for found in json_objects(prompt) if "tool" in found]


class Replays:
    """A planner that repeats the calls of the prompt's example."""

    def __init__(self) -> None:
        self._left = [parse_call(reply(json.dumps(found))) for found in demonstrated()]

    def next_call(self, query: str, steps: object, tools: object) -> ToolCall:
        return self._left.pop(0)


@pytest.fixture(scope="module")
def steps(memory: REMem) -> tuple[Step, ...]:
    return run_agent(
        QUESTION,
        planner=Replays(),
        toolbox=memory.toolbox(),
        offered=lambda steps: (*RETRIEVAL_AND_EXPLORATION, "output_answer"),
        max_steps=3,
    ).steps


def test_every_demonstrated_reply_is_one_that_the_schema_of_the_planner_demands() -> None:
    assert len(demonstrated()) == 3
    for found in demonstrated():
        assert_fits(found, reply_schema(SPECS))


@pytest.mark.parametrize("native", [True, False])
def test_the_planners_example_is_what_the_demonstrated_calls_return(
    steps: tuple[Step, ...], native: bool
) -> None:
    assert not any(step.observation.error for step in steps)
    prompt = planner_prompt(native=native)
    assert prompt.endswith("\n".join(interaction_lines(steps, Cap(30, 1000))))
    assert ('{"thought": ' in prompt) is not native


def test_the_demonstrated_count_is_that_of_the_memory_and_the_answer(
    steps: tuple[Step, ...],
) -> None:
    assert [step.observation.count for step in steps] == [None, 3, None]
    assert steps[-1].call.arguments["answer"] == "3"


# The others


def kept(found: ChatReply) -> object:
    return openie._facts(found)


JSON_EXAMPLES = [
    ("gist_extraction.chat.v1", "gists", GISTS_SCHEMA, parse_gists, 2),
    ("gist_extraction.text.v1", "gists", GISTS_SCHEMA, parse_gists, 2),
    ("fact_extraction.chat.v1", "facts", FACTS_SCHEMA, parse_facts, 2),
    ("fact_extraction.text.v1", "facts", FACTS_SCHEMA, parse_facts, 2),
    ("temporal_facts.v1", "facts", FACTS_SCHEMA, parse_facts, 2),
    ("judge.v1", "label", llm_judge.REPLY_SCHEMA, llm_judge.parse_label, 2),
    ("beam_rubric.v1", "score", beam_judge.RUBRIC_SCHEMA, beam_judge.parse_grade, 2),
    ("beam_event.v1", "label", beam_judge.EVENT_SCHEMA, beam_judge.parse_same, 2),
    ("longmemeval_judge.v1", "label", llm_judge.REPLY_SCHEMA, llm_judge.parse_label, 2),
    (
        "judge_cue.v1",
        "label",
        cue_judge.REPLY_SCHEMA,
        partial(cue_judge.parse_score, rule="strict"),
        2,
    ),
    (
        "temporal_class.v1",
        "temporal_class",
        temporal_classes.REPLY_SCHEMA,
        temporal_classes.parse_class,
        1,
    ),
    ("hipporag2_entities.v1", "named_entities", openie.ENTITIES_SCHEMA, openie.parse_entities, 2),
    ("hipporag2_triples.v1", "triples", openie.TRIPLES_SCHEMA, openie.parse_triples, 2),
    ("hipporag2_filter.v1", "fact", openie.KEPT_SCHEMA, kept, 5),
]
VALUES = dict.fromkeys(
    (
        *("passage", "question", "gold_answer", "generated_answer", "facts", "entities"),
        *("cue", "remark", "reply"),
        *("rubric_item", "first", "second", "kind"),
    ),
    "...",
)


def json_examples(name: str, key: str) -> list[dict[str, Any]]:
    text = shown(name, **VALUES, gists=["..."])
    return [found for found in json_objects(text) if key in found]


@pytest.mark.parametrize(("name", "key", "schema", "parse", "count"), JSON_EXAMPLES)
def test_what_a_prompt_shows_as_a_reply_is_taken_and_fits_the_schema(
    name: str, key: str, schema: Mapping[str, Any], parse: Callable[[ChatReply], object], count: int
) -> None:
    found = json_examples(name, key)
    assert len(found) == count
    for each in found:
        assert_fits(each, schema)
        parse(reply(json.dumps(each)))


@pytest.mark.parametrize(
    "name", ["fact_extraction.chat.v1", "fact_extraction.text.v1", "temporal_facts.v1"]
)
def test_every_date_of_an_extraction_example_can_be_read(name: str) -> None:
    facts = parse_facts(reply(json.dumps(json_examples(name, "facts")[-1])))
    assert all(fact.record_time for fact in facts) == (".chat." in name)
    for fact in facts:
        assert fact_scope(fact) or not (fact.point_in_time or fact.start_time or fact.end_time)
        assert fact_said(fact, None) or not fact.record_time


def test_every_gist_of_the_example_of_a_chat_is_dated() -> None:
    (example,) = json_examples("gist_extraction.chat.v1", "gists")[1:]
    assert all(gist_scope(gist, None) for gist in example["gists"])


@pytest.mark.parametrize(
    ("name", "parse"),
    [
        ("reader_direct.v1", parse_answer),
        ("reader_tiser.v1", parse_tagged_answer),
        ("reader_choice.v1", parse_choice),
    ],
)
def test_the_form_that_a_reader_is_told_of_is_one_that_is_taken(
    name: str, parse: Callable[[ChatReply], str]
) -> None:
    values = dict.fromkeys(("evidence", "question", "refusal", "options"), "...")
    text = shown(name, **values, separator="commas")
    assert parse(reply(text))


def test_every_prompt_is_looked_at_here() -> None:
    names = {path.stem for path in own_library().folder.glob("*.txt")}
    looked_at = {"planner.v1", "reader_direct.v1", "reader_tiser.v1", "reader_choice.v1"}
    without_a_form = {"reader_short.v1", "reader_sentence.v1", "judge_likelihood.v1"}
    without_a_form |= {"reader_choice_small.v1"}
    assert names == looked_at | without_a_form | {name for name, *_ in JSON_EXAMPLES}
