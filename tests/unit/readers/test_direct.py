"""The direct reader: what it shows a model of the evidence, and when it asks no model."""

import pytest

from remem.metrics.tokens import estimated_tokens
from remem.prompts.interaction import Cap
from remem.prompts.library import own_library
from remem.readers.direct import DirectReader, evidence_texts, interaction_history
from remem.time_scope import TimePoint, TimeScope
from remem.types import (
    REFUSAL_PHRASE,
    Answer,
    Evidence,
    Fact,
    Gist,
    Observation,
    Passage,
    Query,
    Step,
    ToolCall,
    Usage,
)

QUERY = Query("q1", "h", 0, "How many boats has Ann?")
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


CAP = Cap(100, 1500)
GIST = Gist("g1", "Ann ran.", None, "e1", ())


def test_gists_come_before_facts_before_passages():
    evidence = Evidence(
        gists=(GIST, Gist("g2", "Bob slept.", None, "e1", ())),
        facts=(Fact("f1", "E1", "R2", "E3", TimeScope(TimePoint(1990)), "e1", ()),),
        passages=(Passage("p1", "[8 May 2023] Ann: Hi!", None, ()),),
    )
    texts = ("Ann ran.", "Bob slept.", "E1 | R2 | E3 | 1990", "[8 May 2023] Ann: Hi!")
    assert evidence_texts(evidence) == texts
    assert interaction_history(evidence, CAP) == "\n".join(texts)


def test_a_count_of_zero_is_something_to_answer_from_and_the_proposed_answer_comes_last():
    counted = Step(ToolCall("find_entity_contexts"), Observation("Counted 0 facts.", count=0))
    shown = interaction_history(Evidence(steps=(counted,), proposed_answer="none"), CAP)
    assert shown.splitlines()[0] == "Step 1"
    assert shown.endswith("Count: 0\nProposed answer: none")
