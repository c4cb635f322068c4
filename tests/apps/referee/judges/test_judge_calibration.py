"""Errors of judges, corrected scores, rankings and contradictions, worked by hand."""

import numpy as np
import pytest

from remem.apps.referee.judges.asked_again import asked_again
from remem.apps.referee.judges.corrected_scores import by_category, by_system
from remem.apps.referee.judges.judge_calibration import corrected_rows, error_rows
from remem.apps.referee.judges.judge_rankings import (
    compare_rankings,
    drawn_ranks,
    ranking,
    scores_by,
)
from remem.apps.referee.judges.judge_report import Truth, judge_report, truth_of_judge
from remem.apps.referee.judges.judge_text import judge_notes, judge_tables
from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule, rules_of
from remem.errors import UsageError

MINE = JudgeRule("mine")


def answer(
    system: str, query: str, said: str = "", category: str = "1", **verdicts: tuple[float, ...]
) -> JudgedAnswer:
    content = (f"What {query}?", "a boat", said or f"{system} says {query}")
    return JudgedAnswer(system, system, query, category, content, verdicts)


def verdicts_of(system: str, *given: float, category: str = "1") -> list[JudgedAnswer]:
    """Return answers to the questions q0, q1, ... with the verdicts of "mine"."""
    return [
        answer(system, f"q{at}", category=category, mine=(verdict,))
        for at, verdict in enumerate(given)
    ]


ANSWERS = [*verdicts_of("A", 1, 1, 0, 1, 0), *verdicts_of("B", 0, 0, 1, 0, 0)]
LABELS = {
    ("A", "q0"): True, ("A", "q1"): True, ("A", "q2"): True, ("A", "q3"): False,
    ("B", "q0"): False, ("B", "q1"): False, ("B", "q2"): True,
}  # fmt: skip


def test_sensitivity_and_specificity_count_the_labelled_answers_alone() -> None:
    rows = error_rows(ANSWERS, LABELS, [MINE])
    assert [row.category for row in rows] == [None, "1"]
    error = rows[0].error
    assert (error.accepted_right, error.right) == (3, 4)
    assert (error.accepted_wrong, error.wrong) == (1, 3)
    assert rows[0].questions == 4
    assert rows[0].sensitivity is not None and rows[0].specificity is not None
    assert rows[0].sensitivity.mean == 0.75
    assert rows[0].specificity.mean == pytest.approx(2 / 3)


def test_a_rate_over_one_question_has_no_interval_over_questions() -> None:
    one = [answer("A", "q0", mine=(1.0,)), answer("B", "q0", mine=(0.0,))]
    (row, _) = error_rows(one, {("A", "q0"): True, ("B", "q0"): False}, [MINE])
    assert (row.sensitivity, row.specificity) == (None, None)
    assert row.error.informs


def test_the_score_is_corrected_by_rogan_gladen_and_by_ppi() -> None:
    (row,) = corrected_rows(ANSWERS, LABELS, [MINE])
    assert (row.accepted, row.n, row.labelled) == (4, 10, 7)
    assert row.rogan_gladen is not None
    assert row.rogan_gladen.mean == pytest.approx((0.4 + 2 / 3 - 1) / (3 / 4 + 2 / 3 - 1))
    assert row.powered is not None  # the three further verdicts are 0
    weight = row.powered.weight
    assert row.powered.mean == pytest.approx(4 / 7 - weight * 4 / 7)
    assert row.rogan_gladen_drawn is not None and row.powered_drawn is not None
    assert row.rogan_gladen_drawn.mean == pytest.approx(row.rogan_gladen.mean)
    assert row.powered_drawn.mean == pytest.approx(row.powered.mean)


def test_a_judge_that_cannot_tell_gets_no_estimate() -> None:
    opposite = {key: not right for key, right in LABELS.items()}
    (row,) = corrected_rows(ANSWERS, opposite, [MINE])
    assert (row.rogan_gladen, row.rogan_gladen_drawn) == (None, None)
    assert by_category(ANSWERS, opposite, MINE) is None


def test_one_label_is_too_few() -> None:
    with pytest.raises(ValueError, match="labelled answers with a verdict of mine: found 1"):
        corrected_rows(ANSWERS, {("A", "q0"): True}, [MINE])


def test_a_judge_of_the_labelled_answers_alone_has_nothing_to_correct() -> None:
    labelled = [each for each in ANSWERS if each.key in LABELS]
    assert corrected_rows(labelled, LABELS, [MINE]) == []
    assert error_rows(labelled, LABELS, [MINE]) != []


def test_a_score_is_corrected_with_the_errors_in_its_category() -> None:
    easy = verdicts_of("A", 1, 0, 1, 0)
    hard = [answer("A", f"h{at}", category="2", mine=(float(at < 3),)) for at in range(4)]
    labels = {("A", "q0"): True, ("A", "q1"): False, ("A", "h0"): True, ("A", "h3"): False}
    labels |= {("A", "h1"): False}  # accepted, although it is wrong
    scores = by_category([*easy, *hard], labels, MINE)
    assert scores is not None
    assert scores["A", "q2"] == 1.0  # no errors in the first category
    # in the second: sensitivity 1, half of the wrong answers accepted: (1 - .5) / (1 - .5)
    assert scores["A", "h2"] == 1.0
    assert scores["A", "h3"] == -1.0
    # Without a right label in the second, all labels count: 1 of 1 right, 2 of 5 wrong accepted.
    further = labels | {("A", "h0"): False, ("A", "q3"): False}
    poor = by_category([*easy, *hard], further, MINE)
    assert poor is not None
    assert poor["A", "h3"] == pytest.approx((0 - 2 / 5) / (1 - 2 / 5))


def test_a_score_is_corrected_with_the_errors_in_the_answers_of_its_system() -> None:
    scores = by_system(ANSWERS, LABELS, MINE)
    assert scores is not None
    mean = {name: np.mean([scores[name, f"q{at}"] for at in range(5)]) for name in "AB"}
    # A: 3 of 5 accepted; its labelled answers are 3 of 4 right and 3 of 4 accepted.
    assert mean["A"] == pytest.approx(0.6)
    # B: 1 of 5 accepted; its labelled answers are 1 of 3 right and 1 of 3 accepted.
    assert mean["B"] == pytest.approx(0.2)
    changed = by_system(ANSWERS, LABELS | {("B", "q0"): True}, MINE)
    assert changed is not None
    assert np.mean([changed["B", f"q{at}"] for at in range(5)]) == pytest.approx(0.2 + 1 / 3)
    assert by_system(ANSWERS, {("A", "q0"): True}, MINE) is None


def test_systems_are_ranked_with_ties_and_the_range_of_their_ranks() -> None:
    answers = [*verdicts_of("A", 1, 1, 1), *verdicts_of("B", 1, 0, 0), *verdicts_of("C", 0, 1, 0)]
    found = ranking("mine", answers, scores_by(MINE, answers))
    assert [(row.system, row.rank) for row in found.systems] == [("A", 1), ("B", 2), ("C", 2)]
    first, second, _ = found.systems
    assert (first.best_rank, first.worst_rank, first.n) == (1, 1, 3)
    assert (second.best_rank, second.worst_rank) == (1, 3)
    assert second.score.mean == pytest.approx(1 / 3)
    assert drawn_ranks(np.array([[0.5, 0.5, 0.9]])).tolist() == [[2.0, 2.0, 1.0]]


def test_two_judges_are_compared_on_the_answers_that_both_have_judged() -> None:
    answers = [
        answer("A", "q0", mine=(1.0,), other=(0.0,)),
        answer("A", "q1", mine=(1.0,), other=(0.0,)),
        answer("B", "q0", mine=(0.0,), other=(1.0,)),
        answer("B", "q1", mine=(0.0,), other=(1.0,)),
        answer("B", "q2", mine=(1.0,)),
    ]
    other = JudgeRule("other")
    found = compare_rankings(
        answers, ("mine", scores_by(MINE, answers)), ("other", scores_by(other, answers))
    )
    assert found is not None
    assert (found.answers, found.pairs, found.swapped) == (4, 1, (("A", "B"),))
    assert (found.tau.mean, found.tau.low, found.tau.high) == (-1.0, -1.0, -1.0)
    assert found.same_first == 0.0
    alone = [each for each in answers if each.system == "A"]
    scores = scores_by(MINE, alone)
    assert compare_rankings(alone, ("mine", scores), ("mine", scores)) is None


def test_systems_that_share_the_first_place_are_both_first() -> None:
    answers = [
        answer("A", "q0", mine=(0.0,), other=(1.0,)),
        answer("B", "q0", mine=(1.0,), other=(1.0,)),
        answer("C", "q0", mine=(0.0,), other=(0.0,)),
    ]
    scores = {name: scores_by(JudgeRule(name), answers) for name in ("mine", "other")}
    for ours, theirs in (("mine", "other"), ("other", "mine")):
        found = compare_rankings(answers, (ours, scores[ours]), (theirs, scores[theirs]))
        assert found is not None
        assert found.same_first == 1.0


def test_a_judge_is_asked_again_by_repeats_and_by_equal_answers_of_other_systems() -> None:
    answers = [
        answer("A", "q0", "A red kite [s1].", mine=(1.0,)),
        answer("B", "q0", "A  red kite.", mine=(0.0,)),
        answer("C", "q1", mine=(0.7, 0.9)),
        answer("A", "q2", mine=(1.0,)),
    ]
    found = asked_again(answers, MINE)
    assert found is not None
    assert (found.verdicts, found.answers, found.flipped, found.regraded) == (4, 2, 1, 2)
    assert (found.share.mean, found.questions) == (0.5, 2)
    assert asked_again(answers[3:], MINE) is None
    assert asked_again(answers, JudgeRule("mine", None)) is None


def test_graded_judges_have_a_rule_for_each_threshold_and_published_judges_come_first() -> None:
    answers = [answer("A", "q0", mine=(1.0,), **{"published-x": (0.7,)})]
    rules = rules_of(answers, [0.5, 0.8])
    assert [rule.name for rule in rules] == [
        "published-x", "published-x >= 0.8", "published-x (grade)", "mine",
    ]  # fmt: skip
    assert [rule.score(answers[0]) for rule in rules] == [1.0, 0.0, 0.7, 1.0]


def test_the_report_says_what_the_truth_is_and_which_numbers_rest_on_it() -> None:
    truth = Truth("sheet.csv", LABELS, is_judge=False)
    report = judge_report("made_up", ANSWERS, [MINE], truth)
    notes = " ".join(judge_notes(report))
    assert "The truth is 7 labels in sheet.csv." in notes
    assert "made_up: 10 answers of 2 runs (2 systems) to 5 questions." in notes
    assert "fewer than 20 clusters" in notes
    tables = {table.title: table for table in judge_tables(report)}
    first = tables["How often each judge is right, in percent"].rows[0]
    assert (first[2], first[3][:4], first[5], first[6][:4]) == ("4", "75.0", "3", "66.7")
    assert [ranking.name for ranking in report.rankings] == [
        "mine", "mine, corrected by category", "mine, corrected by system",
    ]  # fmt: skip
    assert tables["What each judge would have published: rank and score"].rows[0][:2] == (
        "A",
        "1: 60.0",
    )


def test_the_reference_of_all_comparisons_can_be_chosen() -> None:
    answers = [
        answer(system, "q0", mine=(1.0,), other=(0.0,)) for system in ("A", "B")
    ]  # fmt: skip
    rules = rules_of(answers, [])
    report = judge_report("made_up", answers, rules, None, "other")
    assert [ranking.name for ranking in report.rankings] == ["other", "mine"]
    with pytest.raises(UsageError, match="no ranking is named 'his'"):
        judge_report("made_up", answers, rules, None, "his")


def test_another_judge_can_stand_for_the_truth_and_nothing_is_corrected_by_it() -> None:
    answers = [answer("A", f"q{at}", mine=(1.0,), other=(float(at),)) for at in (0, 1)]
    truth = truth_of_judge("other", answers)
    report = judge_report("made_up", answers, rules_of(answers, []), truth)
    assert [row.rule.name for row in report.errors] == ["mine", "mine"]
    assert (report.corrected, report.rankings) == ((), ())
    assert "read the table as agreement between two judges" in " ".join(judge_notes(report))
    with pytest.raises(UsageError, match="no judge is named 'his'; the judges are mine, other"):
        truth_of_judge("his", answers)
