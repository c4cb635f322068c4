"""The judge of LoCoMo-Plus: what each rule shows it, and how each reads its reply."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ModelUnavailableError, RejectedReplyError
from remem.judge.cue_judge import CueJudge, parse_score
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.types import Usage

CUE = ("Ann: I want to row.\nBob: Good.",)
REMARK = "Ann: The water was calm."


def judge(model, rule):
    return CueJudge(chat_model=model, prompts=own_library(), prompt="judge_cue.v1", rule=rule)


def score(text, rule, *, truncated=False):
    return parse_score(ChatReply(text, (), truncated, Usage()), rule)


def refused(text, **cut):
    with pytest.raises(RejectedReplyError):
        score(text, "strict", **cut)
    return True


@pytest.mark.parametrize(("rule", "shows_remark"), [("released", False), ("strict", True)])
def test_only_the_strict_rule_shows_the_remark(scripted_model, rule, shows_remark):
    model = scripted_model.ScriptedModel('{"label": "correct", "reason": "x"}')
    verdict = judge(model, rule).judge(REMARK, CUE, "Did you row?")
    assert verdict == (1.0, Usage(1, 100, 10))
    [request] = model.asked
    system, shown = request.messages
    assert (request.stage, system.role, shown.role) == ("judge", "system", "user")
    assert "Ann: I want to row.\nBob: Good." in shown.content
    assert shown.content.endswith("The reply:\nDid you row?")
    assert (REMARK in shown.content) is shows_remark


def test_an_empty_reply_is_shown_as_such(scripted_model):
    model = scripted_model.ScriptedModel('{"label": "wrong", "reason": "x"}')
    assert judge(model, "strict").judge(REMARK, CUE, "")[0] == 0
    assert model.asked[0].messages[1].content.endswith("(no reply was given)")


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ('{"label": "correct", "reason": "x"}', 1),
        ('{"label": "partial", "reason": "x"}', 0.5),
        ('{"label": " Wrong ", "reason": ""}', 0),
        ('Sure: {"label": "wrong", "reason": "not correct"} - done', 0),
    ],
)
def test_both_rules_read_a_label_in_json_and_only_the_released_one_in_a_cut_reply(text, due):
    assert score(text, "strict") == due
    assert score(text, "released") == due
    assert score(text, "released", truncated=True) == due
    assert refused(text, truncated=True)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("The reply is incorrect.", 1),
        ("Wrong, and not partially correct.", 1),
        ("This is wrong or partial.", 0),
        ("Partially.", 0.5),
        ("INCORRECT", 1),
        ('{"label": "wrong", "reason": "x"} or {"label": "correct", "reason": "y"}', 0),
        *(("", 0), ('{"label": "good", "reason": "x"}', 0), ("[1]", 0), ("{}", 0)),
    ],
)
def test_only_the_released_rule_searches_for_parts_of_words_takes_the_first_label_or_none_as_wrong(
    text, due
):
    assert score(text, "released") == due
    assert refused(text)


def test_a_model_that_gives_no_label_is_strictly_an_error_and_as_released_wrong(scripted_model):
    model = scripted_model.ScriptedModel("no label", "again none")
    with pytest.raises(ModelUnavailableError):
        judge(model, "strict").judge(REMARK, CUE, "Hm.")
    model = scripted_model.ScriptedModel("no label")
    assert judge(model, "released").judge(REMARK, CUE, "Hm.")[0] == 0


@given(st.text() | st.builds('{{"label": "{}", "reason": "{}"}}'.format, st.text(), st.text()))
def test_any_reply_has_a_known_score_or_is_refused(text):
    for rule in ("released", "strict"):
        with contextlib.suppress(RejectedReplyError):
            assert score(text, rule) in (0.0, 0.5, 1.0)


def test_an_unknown_rule_is_refused(scripted_model):
    with pytest.raises(ValueError, match=r"judge\.build\.rule is 'x', expected 'released' or"):
        judge(scripted_model.ScriptedModel(), "x")
