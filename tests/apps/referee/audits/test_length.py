import pytest

from remem.apps.referee.audits.length import JudgedLength, length_effect


def test_the_longer_of_two_answers_to_a_question_is_counted_where_the_verdicts_differ() -> None:
    answers = [
        JudgedLength("a", "q1", 9, 1.0),  # longer, and accepted
        JudgedLength("b", "q1", 2, 0.0),
        JudgedLength("a", "q2", 9, 0.4),  # longer, and not accepted
        JudgedLength("b", "q2", 2, 0.5),
        JudgedLength("a", "q3", 9, 1.0),  # both are accepted
        JudgedLength("b", "q3", 2, 1.0),
        JudgedLength("a", "q4", 2, 1.0),  # equally long
        JudgedLength("b", "q4", 2, 0.0),
        JudgedLength("c", "q1", 1, 0.0),  # shorter than a, and not accepted; b is not either
        JudgedLength("a", "q1", 1, 0.0),  # a repeat of a, compared with the others only
    ]
    effect = length_effect("s", "d", "judge", answers)
    assert effect is not None
    assert effect.pairs == 3
    assert effect.longer_accepted.mean == pytest.approx(2 / 3)
    assert effect.longer_accepted.n == 2
    assert length_effect("s", "d", "judge", answers[4:8]) is None
