"""The judge that asks no model: words, features, and dates and numbers that contradict the gold."""

import pytest

from remem.judge.rules_judge import (
    AnswerFeatures,
    RulesJudge,
    answer_features,
    contradicts,
    says_no_answer,
    without_citations,
    word_recall,
)


@pytest.mark.parametrize(
    ("golds", "answer", "right"),
    [
        (("a red kite",), "It was a red kite [session=4].", True),
        (("a red kite",), "A kite.", True),  # half of "red kite"
        (("a red kite",), "A boat.", False),
        (("a boat", "a red kite"), "A red kite.", True),
        (("7 May 2023",), "On 8 May 2023.", False),
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
    with pytest.raises(ValueError, match="expected more than 0 and at most 1"):
        RulesJudge(least_recall=least)


def test_the_ratio_is_the_mean_gain_of_the_golds_tokens() -> None:
    found = answer_features("a dog", "It was a dog.", (-1.0, -2.0), (-2.0, -4.0))
    assert found == AnswerFeatures(log_ratio=1.5, recall=1.0, no_answer=0.0, contradicts=0.0)
    assert found.values == (1.5, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(("given", "ratio"), [((-1.0,), 3.0), ((-12.0,), -1.0)])
def test_a_ratio_beyond_its_limits_is_cut(given: tuple[float, ...], ratio: float) -> None:
    assert answer_features("x", "y", given, (-9.0,)).log_ratio == ratio


def test_refusing_and_contradicting_answers_are_marked() -> None:
    refusing = answer_features("3", "I don't have that information.", (-1.0,), (-1.0,))
    assert (refusing.no_answer, refusing.contradicts) == (1.0, 0.0)
    contradicting = answer_features("3", "There are 4.", (-1.0,), (-1.0,))
    assert (contradicting.no_answer, contradicting.contradicts) == (0.0, 1.0)


@pytest.mark.parametrize(
    "answer",
    [
        "The memories don't specify when.",
        "There is no mention of a dog.",
        "I cannot determine how many.",
        "The place is not mentioned.",
    ],
)
def test_what_models_say_when_they_do_not_know_is_recognised(answer: str) -> None:
    assert says_no_answer(answer)


@pytest.mark.parametrize(
    "answer", ["She has no dog.", "No, he did not go.", "He didn't like the black cat."]
)
def test_an_answer_that_denies_something_is_an_answer(answer: str) -> None:
    assert not says_no_answer(answer)


def test_a_word_that_the_gold_has_twice_counts_twice() -> None:
    assert word_recall("red car, red bus", "One red car.") == 0.5
    assert word_recall("...", "One red car.") == 0.0


def test_citations_are_taken_out() -> None:
    assert without_citations("Rex [a=1] came [b]\n") == "Rex came"


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("7 May 2023", "She went there on May 7, 2023.", False),
        ("7 May 2023", "She went there on 8 May 2023.", True),
        ("7 May 2023", "In May 2023.", False),  # coarser, and true
        ("7 May 2023", "Not on 6 May 2023 but on 7 May 2023.", False),
        ("2022", "She painted it in March 2022.", False),
    ],
)
def test_a_date_contradicts_when_no_date_of_the_answer_meets_it(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        # 9 June 2023 is a Friday: the week before it may be the seven days, or Monday to Sunday.
        ("The week before 9 June 2023", "On 2 June 2023.", False),
        ("The week before 9 June 2023", "On 30 May 2023.", True),
        ("two weekends before 17 July 2023", "On 4 July 2023.", False),
        ("two weekends before 17 July 2023", "On 2 July 2023.", True),
        ("the week after 9 June 2023", "On 14 June 2023.", False),
        ("The week of 23 August 2023", "On 20 August 2023.", False),
        ("The week of 23 August 2023", "On 30 August 2023.", True),
    ],
)
def test_days_before_after_and_around_a_date_are_the_days_that_may_be_meant(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("3", "You have 2 items.", True),
        ("3", "You have three items.", False),
        ("8 days. 9 are fine too.", "A total of **7 days**.", True),
        ("$400,000", "You were approved for $400,000.", False),
        ("3", "Two cats and one dog.", False),  # which of the two would it be?
        ("3", "1. A cat\n2. A dog\n", False),  # marks of a list
        ("3", "On 5 May 2023.", False),  # a date is no count
        ("three red boats with white sails", "Two.", False),  # a gold with more than a number
    ],
)
def test_a_number_contradicts_when_the_answer_has_a_single_other_one(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected
