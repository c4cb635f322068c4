"""The label of LoCoMo-Plus's judge as the authors' code reads it, worked out by hand."""

import pytest

from remem.judge.cue_judge import released_label, released_score, strict_score

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
