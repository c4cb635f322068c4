"""The reader that asks a model for a letter: what it shows, and which replies it refuses."""

import pytest

from remem.errors import RejectedReplyError
from remem.metrics.tokens import estimated_tokens
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.readers.choice import ChoiceModelReader, parse_choice
from remem.types import Answer, Evidence, Passage, Query, Usage

QUERY = Query("q1", "h", 0, "I saw a boat.", options=("You row.", "You ski."))
FOUND = Evidence(passages=(Passage("m1", "User: I row.", None, ("m1",)),))


def reader(model):
    return ChoiceModelReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_choice.v1",
        items_shown=100,
        characters_shown=1500,
    )


def test_the_model_sees_evidence_question_and_lettered_options(scripted_model):
    model = scripted_model.ScriptedModel("The user rows.\n<final_answer> (a)")
    assert reader(model).read(QUERY, FOUND) == Answer(
        "The user rows.\n<final_answer> (a)", estimated_tokens("User: I row."), Usage(1, 100, 10)
    )
    [request] = model.asked
    asked = request.messages[-1].content
    assert asked.index("User: I row.") < asked.index("I saw a boat.") < asked.index("(a) You row.")
    assert asked.endswith("(a) You row.\n(b) You ski.")


def test_without_evidence_the_model_is_asked_all_the_same(scripted_model):
    model = scripted_model.ScriptedModel("<final_answer> (b)")
    assert reader(model).read(QUERY, Evidence()).text == "<final_answer> (b)"
    assert "(nothing was found)" in model.asked[0].messages[-1].content


@pytest.mark.parametrize(
    ("text", "truncated"), [("", False), ("I think\n<final_answer> ", False), ("(a)", True)]
)
def test_a_reply_without_an_answer_is_refused(text, truncated):
    with pytest.raises(RejectedReplyError):
        parse_choice(ChatReply(text, (), truncated, Usage()))
