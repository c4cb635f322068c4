"""The reader that uses Test of Time's own prompt, with its facts or with the recalled ones."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.protocols import ChatMessage, ChatReply
from remem.readers.dataset_prompt import DatasetPromptReader, parse_dataset_answer
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

FACTS = ("E1 was the R1 of E2 from 1960 to 1965.", "E2 was the R1 of E3 from 1962 to 1967.")
HEAD = "Here is a set of temporal facts:\n"
TAIL = "\n\nAnswer the following question in JSON.\nQuestion:\nHow many?"
PROMPT = f"{HEAD}{FACTS[1]}\n{FACTS[0]}{TAIL}"
QUERY = Query("q1", "h", 0, "How many?", prompt=PROMPT, order=("f2", "f1"))
COUNT = Step(ToolCall("find_entity_contexts"), Observation("Counted 3 facts.", count=3))


def passages(*numbers):
    return Evidence(
        passages=tuple(
            Passage(f"f{number}", FACTS[number - 1], None, (f"f{number}",)) for number in numbers
        )
    )


def asked(scripted_model, evidence, query=QUERY):
    model = scripted_model.ScriptedModel('{"explanation": "I counted.", "answer": 3}')
    reader = DatasetPromptReader(chat_model=model, items_shown=100, characters_shown=1500)
    answer = reader.read(query, evidence)
    assert (answer.text, answer.usage) == ("3", Usage(1, 100, 10))
    (request,) = model.asked
    assert request.stage == "read"
    (message,) = request.messages
    assert message.role == "user"
    return message


def reply(text, *, truncated=False):
    return ChatReply(text, (), truncated, Usage())


def test_the_whole_history_is_asked_about_with_the_prompt_as_it_is(scripted_model):
    assert asked(scripted_model, passages(2, 1)) == ChatMessage("user", PROMPT)


@pytest.mark.parametrize(
    ("numbers", "lines"), [((1,), FACTS[0]), ((1, 2), f"{FACTS[0]}\n{FACTS[1]}")]
)
def test_the_facts_give_way_to_what_was_recalled(scripted_model, numbers, lines):
    assert asked(scripted_model, passages(*numbers)).content == HEAD + lines + TAIL


def test_counts_and_the_proposed_answer_reach_the_prompt(scripted_model):
    shown = asked(scripted_model, Evidence(steps=(COUNT,), proposed_answer="3")).content
    assert shown.startswith(f"{HEAD}Step 1\n")
    assert shown.endswith(TAIL)
    assert "Count: 3\nProposed answer: 3" in shown


def test_without_evidence_it_refuses_and_asks_nobody(scripted_model):
    model = scripted_model.ScriptedModel()
    reader = DatasetPromptReader(chat_model=model, items_shown=9, characters_shown=99)
    assert reader.read(QUERY, Evidence()) == Answer(REFUSAL_PHRASE)
    assert model.asked == []


def test_a_question_without_a_prompt_of_its_own_is_named(scripted_model):
    with pytest.raises(
        ValueError, match=r"question q9 has no Test of Time prompt, .* use reader=direct"
    ):
        asked(scripted_model, passages(1), Query("q9", "h", 0, "Who?"))


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("E9, E33", "E9,E33"),
        (["E9", "E33"], "E9,E33"),
        (12, "12"),
        ([], ""),
    ],
)
def test_an_answer_takes_the_form_of_the_labels(answer, text):
    said = json.dumps({"explanation": "x", "answer": answer})
    assert parse_dataset_answer(reply(f"```json\n{said}\n```")) == text


@pytest.mark.parametrize("answer", [None, True, {"a": 1}, [["E1"]]])
def test_an_answer_of_another_type_is_rejected(answer):
    with pytest.raises(RejectedReplyError):
        parse_dataset_answer(reply(json.dumps({"answer": answer})))


@pytest.mark.parametrize("bad", [reply("E1"), reply('{"answer": "E1"}', truncated=True)])
def test_a_reply_without_an_answer_is_rejected(bad):
    with pytest.raises(RejectedReplyError):
        parse_dataset_answer(bad)


@given(st.text() | st.text().map(lambda text: '{"answer": ' + text + "}"))
def test_any_reply_is_an_answer_or_rejected(text):
    with contextlib.suppress(RejectedReplyError):
        assert isinstance(parse_dataset_answer(reply(text)), str)
