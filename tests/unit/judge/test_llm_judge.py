"""The LLM judge: binary verdicts, a strict format for its replies, and errors are never WRONG."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ModelUnavailableError, RejectedReplyError
from remem.judge.llm_judge import LLMJudge, parse_label
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.types import Usage


def judge(model, golds="together"):
    return LLMJudge(chat_model=model, prompts=own_library(), prompt="judge.v1", golds=golds)


def reply(text, *, truncated=False):
    return ChatReply(text, (), truncated, Usage())


def test_the_verdict_comes_with_its_cost(scripted_model):
    model = scripted_model.ScriptedModel('{"explanation": "Same day.", "label": "CORRECT"}')
    verdict = judge(model).judge("When?", ("7 May 2023", "May 7"), "2023-05-07")
    assert verdict == (True, Usage(1, 100, 10))
    (request,) = model.asked
    assert request.stage == "judge"
    assert request.messages[1].content == (
        "Question: When?\nReference answer: 7 May 2023 / May 7\nAnswer to be graded: 2023-05-07"
    )
    assert list(request.reply_schema["properties"]) == ["explanation", "label"]


WRONG, CORRECT = '{"label": "WRONG"}', '{"label": "CORRECT"}'


@pytest.mark.parametrize(
    ("replies", "verdict"),
    [
        ((CORRECT,), (True, Usage(1, 100, 10))),
        ((WRONG, CORRECT), (True, Usage(2, 200, 20))),
        ((WRONG, WRONG), (False, Usage(2, 200, 20))),
    ],
)
def test_each_gold_may_be_asked_about_by_itself_until_one_is_met(scripted_model, replies, verdict):
    model = scripted_model.ScriptedModel(*replies)
    assert judge(model, golds="each").judge("When?", ("7 May", "June"), "June") == verdict
    asked = [request.messages[1].content for request in model.asked]
    for gold, content in zip(("7 May", "June"), asked, strict=False):
        assert f"Reference answer: {gold}\n" in content


def test_what_was_spent_on_earlier_golds_is_counted_when_a_later_one_fails(scripted_model):
    model = scripted_model.ScriptedModel(WRONG, "no", "no")
    with pytest.raises(ModelUnavailableError) as raised:
        judge(model, golds="each").judge("When?", ("7 May", "June"), "June")
    assert raised.value.usage == Usage(3, 300, 30)


def test_an_empty_answer_is_shown_as_none(scripted_model):
    model = scripted_model.ScriptedModel('{"label": "WRONG"}')
    assert judge(model).judge("When?", ("May",), "")[0] is False
    assert "(no answer was given)" in model.asked[0].messages[1].content


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ('{"explanation": "It agrees.", "label": "CORRECT"}', True),
        ('{"Label": " Correct."}', True),
        ('{\n  "label": "WRONG"\n}', False),
        ('It is CORRECT in part, yet: {"label": "WRONG"}', False),
        ('{"note": "CORRECT"} {"label": "WRONG"} {"label": "WRONG"}', False),
    ],
)
def test_a_label_is_read_however_its_json_is_spaced(text, correct):
    assert parse_label(reply(text)) is correct


@pytest.mark.parametrize(
    "bad",
    [
        reply(""),
        reply("CORRECT"),
        reply('{"label": "CORRECT or WRONG"}'),
        reply('{"label": ["CORRECT"]}'),
        reply('{"label": "CORRECT"} {"label": "WRONG"}'),
        reply('{"label": "CORRECT"}', truncated=True),
    ],
)
def test_anything_else_is_rejected_and_never_wrong(bad):
    with pytest.raises(RejectedReplyError):
        parse_label(bad)


@given(st.text() | st.text().map(lambda text: '{"label": ' + text + "}"))
def test_any_reply_is_a_label_or_rejected(text):
    with contextlib.suppress(RejectedReplyError):
        assert parse_label(reply(text)) in (True, False)
