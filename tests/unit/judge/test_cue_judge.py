"""The judge of LoCoMo-Plus: what each rule shows it, and how each reads its reply, by hand."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ModelUnavailableError, RejectedReplyError
from remem.judge.cue_judge import (
    CueJudge,
    parse_score,
    released_label,
    released_score,
    strict_score,
)
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


WHOLE = '{"label": "wrong", "reason": "The reply is not correct."}'


@pytest.mark.parametrize(
    ("text", "released"),
    [
        (WHOLE, 0),
        (WHOLE[:-1], 0),  # the reason is whole, only the brace is gone
        (WHOLE[:-2], 1),  # no label stands before a whole reason, and "correct" is in the text
        (WHOLE[: WHOLE.index(" correct")], 0),  # cut before that word, so "wrong" is found
        ('{"label": "correct", "reason": "It names the', 1),
        ('{"label": "partial", "reason": "It is not wrong, but', 0),
        ('{"label": "partial", "reason": "It names', 0.5),
        ('{"label": "wrong", "reason": "Not correct: Ann\'s', 0),  # an apostrophe ends a reason
        ('{"label": "wro', 0),
        ("", 0),
    ],
)
def test_replies_cut_inside_the_reason_are_read_as_released_and_never_strictly(text, released):
    assert released_score(text) == released
    assert strict_score(text) == (0 if text == WHOLE else None)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        # Of two labels in a brace, the last before a whole reason counts.
        ('{"label": "wrong", "label": "correct", "reason": "x"}', "correct"),
        ('{"label": "wrong", "reason": "x", "label": "correct"}', "wrong"),
        # Of two braces, the first with a label and a reason counts.
        ('{"label": "wrong", "reason": "x"} {"label": "correct", "reason": "y"}', "wrong"),
        ('{"label": "wrong"} {"label": "correct", "reason": "y"}', "correct"),
        # No brace may stand between; then JSON is read.
        ('{"label": "wrong", "why": {"so": "correct"}, "reason": "x"}', "wrong"),
        ('{"label": "wrong", "why": {"so": "correct"}, "reason": "x"', "correct"),
        ('}"label": "wrong", "reason": "correct"', "correct"),
        # JSON whose label or reason is no text is searched for words.
        ('{"label": "wrong", "reason": ["not correct"]}', "correct"),
        ('{"label": "good", "reason": 5}', "good"),
        ('{"label": ["partial"]}', "partial"),
        ('{"label": null, "reason": null}', ""),
        # Single quotes and spaces.
        ("{ \"label\" :\n' Wrong ', \"reason\" : 'correct' }", "wrong"),
    ],
)
def test_the_released_label_of_unusual_replies(text, label):
    assert released_label(text) == label


def test_the_time_to_read_a_reply_is_linear_in_its_length():
    """A search from each of 20,000 labels to the end of the reply would take minutes."""
    assert released_score('{"label": "wrong", ' * 20_000) == 0
    assert released_score("{" + '"label": "wrong", ' * 20_000) == 0
