"""Measure how often judges err on labelled answers, and correct scores for these errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from remem.apps.referee.judges.judge_error import Corrected, JudgeError, corrected_share
from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule
from remem.apps.referee.judges.prediction_powered import PoweredMean, prediction_powered_mean
from remem.apps.referee.judges.question_draws import DrawnInterval, QuestionDraws, drawn_interval
from remem.metrics.intervals import Floats

Labels = Mapping[tuple[str, str], bool]
"""Whether an answer is right, by run and question."""
LEAST_LABELS = 2
"""Fewer labels have no spread."""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A judge's decisions on the labelled answers of a category.

    `category` is None if the answers of all categories count. `sensitivity` and `specificity` have
    intervals over questions.
    """

    rule: JudgeRule
    category: str | None
    error: JudgeError
    questions: int
    sensitivity: DrawnInterval | None
    specificity: DrawnInterval | None


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """The share of answers that a judge accepts, and two corrected estimates of this share.

    The judge accepted `accepted` of `n` answers. `rogan_gladen` is None if the judge does not tell
    right answers from wrong ones; `powered` is None without unlabelled answers.
    `rogan_gladen_drawn` and `powered_drawn` are the same estimates with intervals over questions;
    the weight of the verdicts is the same in all draws.
    """

    rule: JudgeRule
    accepted: int
    n: int
    labelled: int
    labels_mean: float
    rogan_gladen: Corrected | None
    rogan_gladen_drawn: DrawnInterval | None
    powered: PoweredMean | None
    powered_drawn: DrawnInterval | None


@dataclass(frozen=True, slots=True)
class _Known:
    """The labelled answers that a judge has judged, as arrays with one item per answer."""

    questions: list[str]
    accepted: Floats
    right: Floats


def error_rows(
    answers: Sequence[JudgedAnswer], labels: Labels, rules: Sequence[JudgeRule]
) -> list[ErrorRow]:
    """Return sensitivity and specificity of each judge, over all answers and by category."""
    labelled = [answer for answer in answers if answer.key in labels]
    categories = sorted({answer.category for answer in labelled})
    return [
        row
        for rule in decisions(rules)
        for category in (None, *categories)
        for row in _error_row(labelled, labels, rule, category)
    ]


def corrected_rows(
    answers: Sequence[JudgedAnswer], labels: Labels, rules: Sequence[JudgeRule]
) -> list[CorrectedRow]:
    """Return the share of all answers that each judge accepts, corrected by the labels.

    A judge that has judged only labelled answers is left out.

    Raises:
        ValueError: Fewer than two labelled answers have a verdict of a judge.
    """
    return [
        _corrected_row(answers, labels, rule)
        for rule in decisions(rules)
        if any(rule.judge in answer.verdicts and answer.key not in labels for answer in answers)
    ]


def decisions(rules: Sequence[JudgeRule]) -> list[JudgeRule]:
    """Return the rules that call an answer right or wrong, without those that use the grade."""
    return [rule for rule in rules if rule.right_from is not None]


def error_of(answers: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule) -> JudgeError:
    """Count a judge's right and wrong decisions on labelled answers."""
    return _error(_labelled_answers(answers, labels, rule))


def _error_row(
    labelled: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule, category: str | None
) -> Iterator[ErrorRow]:
    some = [answer for answer in labelled if category in (None, answer.category)]
    known = _labelled_answers(some, labels, rule)
    if not known.questions:
        return
    error = _error(known)
    draws = QuestionDraws.of(known.questions)
    several = len(draws.questions) > 1
    sums = draws.sums(_products(known), known.questions)
    yield ErrorRow(
        rule,
        category,
        error,
        len(draws.questions),
        drawn_interval(_ratio(sums[:, 0], sums[:, 1])) if several and error.right else None,
        drawn_interval(_ratio(sums[:, 3] - sums[:, 2], sums[:, 3]))
        if several and error.wrong
        else None,
    )


def _corrected_row(
    answers: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule
) -> CorrectedRow:
    labelled = _labelled_answers(answers, labels, rule)
    if len(labelled.questions) < LEAST_LABELS:
        raise ValueError(
            f"labelled answers with a verdict of {rule.name}: found {len(labelled.questions)}, "
            f"expected at least {LEAST_LABELS}; label more of the answers that this judge has "
            f"judged"
        )
    judged = [(answer, score) for answer in answers if (score := rule.score(answer)) is not None]
    further = np.array([score for answer, score in judged if answer.key not in labels])
    accepted, error = round(sum(score for _, score in judged)), _error(labelled)
    powered = (
        prediction_powered_mean(labelled.right, labelled.accepted, further, weight=None)
        if further.size
        else None
    )
    gladen = corrected_share(accepted, len(judged), error)
    draws = QuestionDraws.of([answer.query_id for answer, _ in judged])
    drawn_gladen = drawn_powered = None
    if len(draws.questions) > 1 and gladen:
        drawn_gladen = drawn_interval(_drawn_rogan_gladen(draws, judged, labelled))
    if len(draws.questions) > 1 and powered:
        drawn_powered = drawn_interval(
            _drawn_powered(draws, judged, labelled, labels, powered.weight)
        )
    return CorrectedRow(
        rule=rule,
        accepted=accepted,
        n=len(judged),
        labelled=len(labelled.questions),
        labels_mean=float(labelled.right.mean()),
        rogan_gladen=gladen,
        rogan_gladen_drawn=drawn_gladen,
        powered=powered,
        powered_drawn=drawn_powered,
    )


def _labelled_answers(answers: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule) -> _Known:
    rows = [
        (answer.query_id, score, float(labels[answer.key]))
        for answer in answers
        if answer.key in labels and (score := rule.score(answer)) is not None
    ]
    return _Known(
        [question for question, _, _ in rows],
        np.array([score for _, score, _ in rows]),
        np.array([right for _, _, right in rows]),
    )


def _error(labelled: _Known) -> JudgeError:
    accepted_right, right, accepted_wrong, wrong = (
        round(total) for total in _products(labelled).sum(axis=0).tolist()
    )
    return JudgeError(accepted_right, right, accepted_wrong, wrong)


def _products(labelled: _Known) -> Floats:
    """Return four columns for each answer: accepted and right, right, accepted and wrong, wrong."""
    wrong = 1 - labelled.right
    return np.column_stack(
        (labelled.accepted * labelled.right, labelled.right, labelled.accepted * wrong, wrong)
    )


def _drawn_rogan_gladen(
    draws: QuestionDraws, judged: Sequence[tuple[JudgedAnswer, float]], labelled: _Known
) -> Floats:
    sums = draws.sums(_products(labelled), labelled.questions)
    sensitivity = _ratio(sums[:, 0], sums[:, 1])
    false_accepts = _ratio(sums[:, 2], sums[:, 3])
    told_apart = sensitivity - false_accepts
    told_apart[~(told_apart > 0)] = np.nan
    return np.clip(_ratio(_accepted(draws, judged) - false_accepts, told_apart), 0, 1)


def _drawn_powered(
    draws: QuestionDraws,
    judged: Sequence[tuple[JudgedAnswer, float]],
    labelled: _Known,
    labels: Labels,
    weight: float,
) -> Floats:
    further = [(answer, score) for answer, score in judged if answer.key not in labels]
    left = np.column_stack(
        (labelled.right - weight * labelled.accepted, np.ones(labelled.right.size))
    )
    sums = draws.sums(left, labelled.questions)
    return weight * _accepted(draws, further) + _ratio(sums[:, 0], sums[:, 1])


def _accepted(draws: QuestionDraws, judged: Sequence[tuple[JudgedAnswer, float]]) -> Floats:
    """Return the share of accepted answers in the sample and in each draw."""
    scores = np.array([(score, 1.0) for _, score in judged])
    sums = draws.sums(scores, [answer.query_id for answer, _ in judged])
    return _ratio(sums[:, 0], sums[:, 1])


def _ratio(tops: Floats, bottoms: Floats) -> Floats:
    """Return tops / bottoms; NaN where there is nothing to divide by."""
    ratios: Floats = np.full(tops.shape, np.nan)
    np.divide(tops, bottoms, out=ratios, where=np.isfinite(bottoms) & (bottoms != 0))
    return ratios
