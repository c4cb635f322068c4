"""The features of an answer that the likelihood judge uses."""

import pytest

from remem.judge.rules_judge import (
    AnswerFeatures,
    answer_features,
    says_no_answer,
    without_citations,
    word_recall,
)


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
