"""The direct reader: what it shows a model, how it finds the answer, when it asks no model."""

import pytest

from remem.metrics.tokens import estimated_tokens
from remem.prompts.library import own_library
from remem.readers.direct import DirectReader
from remem.types import (
    REFUSAL_PHRASE,
    Answer,
    Evidence,
    Observation,
    Passage,
    Query,
    Step,
    ToolCall,
    Usage,
)

QUERY = Query("q1", "h", 0, "How many boats has Ann?")
COUNT = Step(
    ToolCall("find_entity_contexts", {"subject": "Ann", "aggregation": "count"}, "Count them."),
    Observation("Counted 3 facts.", count=3),
)
PASSAGES = Evidence(passages=(Passage("m1", "[8 May 2023] Ann: I have a boat.", None, ("m1",)),))


def reader(model):
    return DirectReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_direct.v1",
        items_shown=100,
        characters_shown=1500,
        answer_separator="commas",
    )


def test_the_answer_comes_with_its_cost_and_an_estimate_of_what_was_shown(scripted_model):
    model = scripted_model.ScriptedModel("Thought: One line.\nAnswer: one")
    line = "[8 May 2023] Ann: I have a boat."
    assert reader(model).read(QUERY, PASSAGES) == Answer(
        "one", estimated_tokens(line), Usage(1, 100, 10)
    )
    (request,) = model.asked
    assert (request.stage, request.reply_schema, request.tools) == ("read", None, ())
    assert request.messages[1].content == f"{line}\n\nQuestion: How many boats has Ann?"
    assert REFUSAL_PHRASE in request.messages[0].content


def test_counts_steps_and_the_proposed_answer_reach_the_prompt(scripted_model):
    model = scripted_model.ScriptedModel("Thought: Counted.\nAnswer: 3")
    evidence = Evidence(steps=(COUNT,), proposed_answer="three boats")
    assert reader(model).read(QUERY, evidence).text == "3"
    shown = model.asked[0].messages[1].content
    assert "Count: 3" in shown
    assert "Thought: Count them." in shown
    assert "Proposed answer: three boats" in shown


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(),
        Evidence(steps=(Step(ToolCall("x"), Observation("no tool", error=True)),)),
        Evidence(steps=(Step(ToolCall("output_answer"), Observation("")),), proposed_answer="2"),
    ],
)
def test_without_anything_retrieved_it_refuses_and_asks_nobody(scripted_model, evidence):
    model = scripted_model.ScriptedModel()
    assert reader(model).read(QUERY, evidence) == Answer(REFUSAL_PHRASE)
    assert model.asked == []
