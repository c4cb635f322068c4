"""Decide from paired questions whether the drop of a run from its baseline is below a margin.

A decision needs an answer to every question of the baseline, and an error is not an answer. The
questions must be unchanged, and must have all scores that they have in the baseline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from remem.apps.referee.gates.gate_baseline import (
    Baseline,
    FrozenQuestion,
    check_answered,
    question_sum,
    records_sum,
    rounded,
    verdicts_sum,
)
from remem.apps.referee.gates.noninferiority import (
    LEVEL,
    Bounds,
    GatePower,
    gate_power,
    paired_bounds,
)
from remem.errors import UsageError, VerificationFailedError
from remem.files.shipped import scoring_sum
from remem.metrics.convention import Score, ScoreConvention
from remem.metrics.intervals import Ratio
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import score_questions
from remem.types import Record

NO_DIFFERENCE = 1.5e-6
"""Scores that differ by no more are equal, because CPUs round differently."""

Verdict = Literal["passed", "worse", "not shown"]


class GateFailedError(RuntimeError):
    """A run is worse than its baseline, or a drop as large as the margin cannot be ruled out."""

    exit_code = 6


@dataclass(frozen=True, slots=True)
class CategoryGate:
    """The decision on a category, which fails if its drop is shown to be larger than the margin.

    The level of `bounds` is the level of the gate, divided by the number of categories.
    """

    category: str
    bounds: Bounds
    has_passed: bool


@dataclass(frozen=True, slots=True)
class ScoreGate:
    """The decision on a score, with bounds of its mean gain over the baseline.

    A gain is the score of the run minus that of the baseline, negated if lower scores are better.
    `better`, `worse` and `equal` count questions by their gain. `power` is None if the gains do not
    vary.
    """

    score: str
    heading: str
    bounds: Bounds
    verdict: Verdict
    better: int
    worse: int
    equal: int
    power: GatePower | None
    categories: tuple[CategoryGate, ...]

    @property
    def has_passed(self) -> bool:
        """Return whether the score passed, over all questions and in each category."""
        return self.verdict == "passed" and all(part.has_passed for part in self.categories)


@dataclass(frozen=True, slots=True)
class Gated:
    """The decision of a gate, which passes if every score passes.

    `margin` is a share. `not_in_baseline` counts the questions of the run that the baseline lacks,
    which are ignored. `other_data` names the data files of the run for which the baseline has
    another checksum or none. `other_code` says whether the code of the scores has changed since the
    baseline.
    """

    margin: float
    is_equal: bool
    scores: tuple[ScoreGate, ...]
    not_in_baseline: int
    other_data: tuple[str, ...]
    other_code: bool = False

    @property
    def has_passed(self) -> bool:
        """Return whether all scores passed."""
        return all(score.has_passed for score in self.scores)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The gain of each scored question: run minus baseline, negated if lower scores are better."""

    questions: tuple[FrozenQuestion, ...]
    gains: tuple[float, ...]

    def of(self, category: str) -> "_Pairs":
        """Return the questions of a category with their gains."""
        kept = [
            pair
            for pair in zip(self.questions, self.gains, strict=True)
            if pair[0].category == category
        ]
        return _Pairs(*zip(*kept, strict=True))

    def bounds(self, convention: ScoreConvention, level: float) -> Bounds:
        """Return the mean gain with its bounds."""
        gains = np.array(self.gains, dtype=np.float64)
        by_cluster = convention.bootstrap_unit == "clusters"
        clusters = [str(question.cluster) for question in self.questions] if by_cluster else None
        return paired_bounds(
            Ratio(gains, np.ones_like(gains), clusters),
            level=level,
            resamples=convention.resamples,
            seed=convention.seed,
        )


def gate(
    baseline: Baseline,
    records: Sequence[Record],
    convention: ScoreConvention,
    *,
    margin: float,
    verdicts: Mapping[str, float] | None = None,
    data: Mapping[str, str] | None = None,
    name: str = "the run",
) -> Gated:
    """Compare a run with its baseline, and return the decision.

    Args:
        baseline: The baseline.
        records: The records of the run.
        convention: How to score the records: as for the baseline, but only with the scores that the
            gate decides on.
        margin: The largest drop that is accepted, as a share.
        verdicts: By query id, the share of "correct" among the verdicts of the judge that the
            baseline names.
        data: The sha256 of the data files of the run, by name; None if unknown.
        name: The name of the run in error messages.

    Raises:
        VerificationFailedError: A question of the baseline is missing or changed in the run, or the
            records are equal but their scores differ.
        FailedQuestionsError: A question of the run failed.
        UsageError: A question has no score, because its judge has no verdict.
    """
    if not 0 < margin < 1:
        raise UsageError(
            f"the margin is {100 * margin:g} points, expected more than 0 and less than 100"
        )
    by_question = {record.query_id: record for record in records}
    _check_questions(baseline, by_question, name)
    counted = [by_question[question.id] for question in baseline.questions]
    check_answered(name, counted)
    scored = {
        question_scores.query_id: question_scores
        for question_scores in score_questions(counted, convention, verdicts)
    }
    _check_categories(baseline, scored, name)
    now = {
        query: rounded(question_scores.scores, convention.score_names)
        for query, question_scores in scored.items()
    }
    is_equal = records_sum(counted) == baseline.run.records
    if is_equal:
        _check_scores(baseline, now, convention, verdicts or {}, name)
    before = dict(baseline.run.data)
    return Gated(
        margin=margin,
        is_equal=is_equal,
        scores=tuple(
            _decided(_pairs(baseline, now, convention, at, name), convention, at, margin, is_equal)
            for at in range(len(convention.scores))
        ),
        not_in_baseline=len(by_question) - len(counted),
        other_data=tuple(
            sorted(file for file, total in (data or {}).items() if before.get(file) != total)
        ),
        other_code=baseline.run.code not in ("", scoring_sum()),
    )


def _check_questions(baseline: Baseline, by_question: Mapping[str, Record], name: str) -> None:
    missing = [question.id for question in baseline.questions if question.id not in by_question]
    if missing:
        raise VerificationFailedError(
            f"{name} lacks {len(missing)} of the {len(baseline.questions)} questions of the "
            f"baseline (first: {missing[0]!r}); ask all of them, or freeze a new baseline"
        )
    changed = [
        question.id
        for question in baseline.questions
        if question_sum(by_question[question.id]) != question.sha256
    ]
    if changed:
        raise VerificationFailedError(
            f"{name} and the baseline differ in the text, gold answer, category or evidence of "
            f"{len(changed)} of {len(baseline.questions)} questions (first: {changed[0]!r}); use "
            f"the same data, or freeze a new baseline"
        )


def _check_categories(baseline: Baseline, scored: Mapping[str, QuestionScores], name: str) -> None:
    """Raise VerificationFailedError if a question has another category in the baseline."""
    other = [
        question.id
        for question in baseline.questions
        if scored[question.id].category != question.category
    ]
    if other:
        raise VerificationFailedError(
            f"{name} and the baseline differ in the category of {len(other)} of "
            f"{len(baseline.questions)} questions (first: {other[0]!r}): the baseline was edited, "
            f"or the rules for categories have changed; freeze a new baseline"
        )


def _check_scores(
    baseline: Baseline,
    now: Mapping[str, Sequence[float | None]],
    convention: ScoreConvention,
    verdicts: Mapping[str, float],
    name: str,
) -> None:
    """Raise VerificationFailedError if equal records have other scores than in the baseline."""
    for at, score in enumerate(convention.scores):
        place = baseline.run.scores.index(score.name)
        other = [
            question.id
            for question in baseline.questions
            if _differs(question.scores[place], now[question.id][at])
        ]
        if other:
            raise VerificationFailedError(
                f"{name} has the same records as the baseline, but a different {score.name} in "
                f"{len(other)} of {len(baseline.questions)} questions (first: {other[0]!r}): "
                f"{_why_other(baseline, score, verdicts)}, or freeze a new baseline"
            )


def _differs(before: float | None, after: float | None) -> bool:
    if after is None:  # a verdict is missing, which has its own error
        return False
    return before is None or abs(before - after) > NO_DIFFERENCE


def _why_other(baseline: Baseline, score: Score, verdicts: Mapping[str, float]) -> str:
    """Return why equal records have other scores, and what to do."""
    run = baseline.run
    judged = verdicts_sum(verdicts, (question.id for question in baseline.questions))
    if "judge" in score.needs and run.verdicts not in ("", judged):
        return "the verdicts of the judge have changed; use those of the baseline"
    if run.code not in ("", scoring_sum()):
        return "the code of the scores has changed; use the version of remem that made the baseline"
    if run.code:
        return "the baseline was edited, or a score of your own has changed; review both"
    return "the baseline was edited, or verdicts or the code of scores changed; find out which"


def _pairs(
    baseline: Baseline,
    now: Mapping[str, Sequence[float | None]],
    convention: ScoreConvention,
    at: int,
    name: str,
) -> _Pairs:
    score = convention.scores[at]
    place = baseline.run.scores.index(score.name)
    sign = -1 if score.better == "lower" else 1
    questions, gains = [], []
    for question in baseline.questions:
        before, after = question.scores[place], now[question.id][at]
        if before is None:
            continue
        if after is None:
            raise UsageError(
                f"question {question.id!r} has a value for {score.name} in the baseline but not in "
                f"{name}; run `remem judge run` to get the missing verdict"
            )
        questions.append(question)
        gains.append(sign * (after - before))
    if not questions:
        raise UsageError(
            f"no question of the baseline has a value for {score.name}; choose another --score"
        )
    return _Pairs(tuple(questions), tuple(gains))


def _decided(
    pairs: _Pairs, convention: ScoreConvention, at: int, margin: float, is_equal: bool
) -> ScoreGate:
    bounds = pairs.bounds(convention, LEVEL)
    categories = sorted({question.category for question in pairs.questions})
    has_error = bounds.error > 0
    return ScoreGate(
        score=convention.scores[at].name,
        heading=convention.scores[at].heading,
        bounds=bounds,
        verdict=_verdict(bounds, margin, is_equal),
        better=sum(gain > 0 for gain in pairs.gains),
        worse=sum(gain < 0 for gain in pairs.gains),
        equal=sum(gain == 0 for gain in pairs.gains),
        power=gate_power(bounds.error, bounds.units, margin) if has_error else None,
        categories=tuple(
            _category(name, pairs.of(name), convention, margin, LEVEL / len(categories))
            for name in categories
        ),
    )


def _verdict(bounds: Bounds, margin: float, is_equal: bool) -> Verdict:
    """Return the verdict on a score; if the records are equal, it passes whatever the bounds."""
    if is_equal or bounds.low > -margin:
        return "passed"
    return "worse" if bounds.high < 0 else "not shown"


def _category(
    name: str, pairs: _Pairs, convention: ScoreConvention, margin: float, level: float
) -> CategoryGate:
    bounds = pairs.bounds(convention, level)
    return CategoryGate(name, bounds, has_passed=bounds.high >= -margin)
