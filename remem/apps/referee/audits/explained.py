"""Recompute a published mean, and explain it if it does not follow from the verdicts.

An explanation is a different way to count the same verdicts, one that gives the published mean.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor
from statistics import fmean
from typing import Literal

from remem.apps.referee.imports.census import RIGHT_FROM, has_words
from remem.apps.referee.imports.imported import ImportedAnswer
from remem.apps.referee.imports.matched import MatchedAnswers

NOISE = 1e-9
"""Totals of floats in another order differ by less."""
Outcome = Literal["follows", "counted otherwise", "open", "does not follow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedMean:
    """A published mean, compared with the mean of the judge's verdicts.

    Attributes:
        system: The system, with the run if it has several.
        judge: The judge that gave the verdicts.
        category: The category; None for all answers.
        published: The published mean, as a share.
        digits: The number of decimals of `published`.
        n: The number of verdicts.
        recomputed: The mean of the verdicts; None if there are none.
        outcome: "follows" if the verdicts give the published mean to its last digit, "counted
            otherwise" if another way to count them does, "open" if missing verdicts could explain
            it, and "does not follow" otherwise.
        reason: The other way to count, or how many right answers the mean would need; "" if the
            mean follows.
        ids: The places of the answers that may have been counted differently.
    """

    system: str
    judge: str
    category: str | None
    published: float
    digits: int
    n: int
    recomputed: float | None
    outcome: Outcome
    reason: str = ""
    ids: tuple[str, ...] = ()


def check_mean(
    runs: Sequence[MatchedAnswers],
    published: float,
    digits: int,
    *,
    system: str,
    judge: str,
    category: str | None = None,
) -> CheckedMean:
    """Compare a published mean with a judge's verdicts on the answers of these runs."""
    answers = [answer for run in runs for answer in run.imported.answers]
    answers = [answer for answer in answers if category in (None, answer.category)]
    verdicts = [answer.verdicts[judge] for answer in answers if judge in answer.verdicts]
    recomputed = fmean(verdicts) if verdicts else None
    outcome: Outcome = "follows"
    reason, ids = "", tuple[str, ...]()
    if recomputed is None or not _is_rounded(recomputed, published, digits):
        others = _other_means(runs, answers, judge, is_overall=category is None)
        ways = [way for way, mean in others if _is_rounded(mean, published, digits)]
        not_here = _questions_elsewhere(runs) if category is None else 0
        unknown = not_here + len(answers) - len(verdicts)
        needed = round(published * (len(verdicts) + unknown) - sum(verdicts))
        with_unknown = (sum(verdicts) + needed) / max(1, len(verdicts) + unknown)
        is_possible = 0 <= needed <= unknown and _is_rounded(with_unknown, published, digits)
        if ways:
            outcome, reason = "counted otherwise", " or ".join(dict.fromkeys(ways))
        elif not verdicts:
            outcome, reason = "open", "there are no verdicts"
        elif unknown and is_possible:
            outcome = "open"
            reason = (
                f"{not_here:,} questions of the data are not in the files and "
                f"{unknown - not_here:,} answers have no verdict; if {needed:,} of these were "
                f"right, the mean would follow"
            )
        else:
            outcome, reason = "does not follow", _needed(verdicts, published, digits)
            ids = tuple(answer.where for answer in answers if _is_doubtful(answer, judge))
    return CheckedMean(
        system=system,
        judge=judge,
        category=category,
        published=published,
        digits=digits,
        n=len(verdicts),
        recomputed=recomputed,
        outcome=outcome,
        reason=reason,
        ids=ids,
    )


def _is_rounded(mean: float, published: float, digits: int) -> bool:
    """Return whether a published mean is this mean, rounded to `digits` decimals."""
    return abs(mean - published) <= 0.5 * 10.0**-digits + NOISE


def _questions_elsewhere(runs: Sequence[MatchedAnswers]) -> int:
    """Count questions in categories with answers that are about histories without answers."""
    known = runs[0].known
    if known is None:
        return 0
    categories = {answer.question.gold.category for run in runs for answer in run.answers}
    here = {answer.question.query.history_id for run in runs for answer in run.answers}
    return sum(
        question.query.history_id not in here and question.gold.category in categories
        for question in known.questions
    )


def _other_means(
    runs: Sequence[MatchedAnswers],
    answers: Sequence[ImportedAnswer],
    judge: str,
    *,
    is_overall: bool,
) -> Iterator[tuple[str, float]]:
    """Yield other ways to count the verdicts, each with the mean that results."""
    judged = [answer for answer in answers if judge in answer.verdicts]
    right = sum(answer.verdicts[judge] for answer in judged)
    if judged:
        yield (
            f"verdicts of {RIGHT_FROM:g} or more as right",
            fmean(answer.verdicts[judge] >= RIGHT_FROM for answer in judged),
        )
        yield "answers without a verdict as wrong", right / len(answers)
        answered = [answer for answer in judged if has_words(answer.answer or "")]
        of_answered = sum(answer.verdicts[judge] for answer in answered)
        if len(answered) > 0:
            yield "without errors and empty answers", of_answered / len(answered)
            yield "errors and empty answers as wrong", of_answered / len(judged)
    for other in sorted({name for answer in answers for name in answer.verdicts} - {judge}):
        yield (
            f"the verdicts of {other}",
            fmean(answer.verdicts[other] for answer in answers if other in answer.verdicts),
        )
    if judged and is_overall:
        unanswered = sum(len(run.not_answered) for run in runs)
        yield "questions without an answer as wrong", right / (len(judged) + unanswered)
        yield from _means_by_category(judged, judge)


def _means_by_category(judged: Sequence[ImportedAnswer], judge: str) -> Iterator[tuple[str, float]]:
    by_category: defaultdict[str, list[float]] = defaultdict(list)
    for answer in judged:
        by_category[answer.category].append(answer.verdicts[judge])
    if len(by_category) > 1:
        yield "the mean of the category means", fmean(map(fmean, by_category.values()))
        total, right = len(judged), sum(map(sum, by_category.values()))
        for category, verdicts in sorted(by_category.items()):
            rest = total - len(verdicts)
            yield f"without category {category!r}", (right - sum(verdicts)) / rest
            yield f"category {category!r} in the numerator only", right / rest


def _needed(verdicts: Sequence[float], published: float, digits: int) -> str:
    """Describe how many right answers a refuted mean would need."""
    n = len(verdicts)
    right, needed = sum(verdicts), published * n
    if set(verdicts) <= {0.0, 1.0}:
        whole = {floor(needed), ceil(needed)}
        if not any(_is_rounded(count / n, published, digits) for count in whole):
            return (
                f"{right:,.0f} of {n:,} are right; this mean would need {needed:,.2f} right "
                f"answers, which is not a whole number"
            )
        return f"{right:,.0f} of {n:,} are right; this mean would need {needed:,.0f}"
    return f"the sum of the verdicts is {right:,.2f}; this mean would need {needed:,.2f}"


def _is_doubtful(answer: ImportedAnswer, judge: str) -> bool:
    return judge not in answer.verdicts or not has_words(answer.answer or "")
