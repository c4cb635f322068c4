"""The judge that asks no model."""

import pytest

from remem.judge.rules_judge import RulesJudge


@pytest.mark.parametrize(
    ("golds", "answer", "right"),
    [
        (("a red kite",), "It was a red kite [session=4].", True),
        (("a red kite",), "A kite.", True),  # half of "red kite"
        (("a red kite",), "A boat.", False),
        (("a boat", "a red kite"), "A red kite.", True),
        (("7 May 2023",), "On 8 May 2023.", False),
        (("3",), "You have 2.", False),
        (("a red kite",), "I do not have that information about a red kite.", False),
        (("a red kite",), "", False),
        (("",), "I do not have that information.", True),
        (("",), "A kite.", False),
    ],
)
def test_words_dates_and_numbers_decide(golds: tuple[str, ...], answer: str, right: bool) -> None:
    verdict, usage = RulesJudge(least_recall=0.5).judge("What was it?", golds, answer)
    assert verdict is right
    assert usage.calls == 0


def test_all_words_can_be_asked_for() -> None:
    assert RulesJudge(least_recall=1.0).judge("", ("red kite",), "A kite.")[0] is False


@pytest.mark.parametrize("least", [0.0, 1.1])
def test_a_share_that_decides_nothing_is_refused(least: float) -> None:
    with pytest.raises(ValueError, match="expected a number above 0, up to 1"):
        RulesJudge(least_recall=least)
