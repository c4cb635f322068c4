"""Sums over drawn questions."""

import numpy as np
import pytest

from remem.apps.referee.judges.question_draws import QuestionDraws, drawn_interval


def test_the_first_row_is_the_sample_and_every_draw_has_as_many_questions() -> None:
    draws = QuestionDraws.of(["b", "a", "b"])
    assert draws.questions == ("a", "b")
    assert draws.counts[0].tolist() == [1.0, 1.0]
    assert set(draws.counts.sum(axis=1)) == {2.0}


def test_all_answers_to_a_drawn_question_are_drawn() -> None:
    draws = QuestionDraws(("a", "b"), np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]]))
    values = np.array([1.0, 10.0, 100.0])
    assert draws.sums(values, ["a", "b", "b"]).tolist() == [111.0, 2.0, 220.0]


def test_the_interval_has_the_percentiles_of_the_draws_that_are_defined() -> None:
    values = np.array([0.5, *np.linspace(0, 1, 101)])
    found = drawn_interval(values)
    assert (found.mean, found.defined) == (0.5, 1.0)
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))
    values[1:20] = np.nan
    assert (drawn_interval(values).low, drawn_interval(values).defined) == (None, 82 / 101)
