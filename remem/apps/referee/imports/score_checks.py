"""Checks of published scores: the formula behind them, their intervals and ranks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from remem.apps.referee.imports.checked_runs import Check, CheckedRuns, Finding
from remem.apps.referee.imports.formulas import find_formula
from remem.apps.referee.imports.matched import MatchedAnswer

LEAST_ANSWERS = 10
"""A value that is the same in fewer answers says nothing."""
FULL = 0.995
"""The smallest verdict that counts as the best one."""
HALF = 0.5


def formulas(checked: CheckedRuns) -> Iterator[Finding]:
    """Find the formula that turns verdicts into the main score, and the highest score it gives."""
    imported = checked.runs[0].imported
    formula = find_formula(checked.answers, imported.main, imported.base) if imported.base else None
    if formula is None:
        return
    factors = ", ".join(
        f"x {factor.factor:.2f} if {' or '.join(factor.checks)} is false "
        f"({factor.failing:,} answers)"
        for factor in formula.factors
    )
    cap = f"; no answer can score more than {formula.cap:.2f}" if formula.cap < 1 else ""
    yield Finding(
        "formula",
        f"{checked.format}: {formula.score} = the verdict of {formula.judge} {factors}: this gives "
        f"all {formula.answers:,} scores{cap}",
        formula.answers,
        formula.answers,
    )


def halved_right_answers(checked: CheckedRuns) -> Iterator[Finding]:
    """Find answers that the judge calls entirely right, but whose main score is at most a half."""
    score, judge = checked.runs[0].imported.main, checked.runs[0].imported.base
    right = [
        answer
        for run in checked.runs
        for answer in run.answers
        if judge and answer.answer.verdicts.get(judge, 0) >= FULL
    ]
    halved = [answer for answer in right if answer.answer.verdicts.get(score, 1) <= HALF]
    if not halved:
        return
    failed = _failed_by_all(halved) - _failed_by_all(right)
    yield Finding(
        "right answers with half the score",
        f"{checked.format}: {judge} calls {len(right):,} answers entirely right, and "
        f"{len(halved)} of them score at most {HALF:g}; only these answers have in common that "
        f"they fail the check {' and '.join(sorted(failed)) or '(none)'}",
        len(halved),
        len(right),
        tuple(dict.fromkeys(answer.id for answer in halved)),
    )


def _failed_by_all(answers: Sequence[MatchedAnswer]) -> set[str]:
    """Return the checks that all of these answers fail."""
    failed = (
        {name for name, passed in answer.answer.flags.items() if passed is False}
        for answer in answers
    )
    return set.intersection(*failed)


def constant_values(checked: CheckedRuns) -> Iterator[Finding]:
    """Find checks and measures that say nothing, because all answers have the same value."""
    values: defaultdict[str, list[bool | float]] = defaultdict(list)
    for answer in checked.answers:
        for name, value in answer.flags.items():
            values[name].append(value)
    same: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for name, values_of_score in values.items():
        if len(values_of_score) >= LEAST_ANSWERS and len(set(values_of_score)) == 1:
            same[_format_value(values_of_score[0]), len(values_of_score)].append(name)
    for (shown, count), names in same.items():
        yield Finding(
            "same value everywhere",
            f"{checked.format}: {', '.join(sorted(names))}: {shown} in {count:,} of {count:,} "
            f"answers",
            count,
            count,
        )


def intervals_over_repeats(checked: CheckedRuns) -> Iterator[Finding]:
    """Compare the interval of each system over repeats with its interval over questions."""
    for ranking in checked.rankings:
        both = [
            (system.over_repeats, (system.mean.high - system.mean.low) / 2)
            for system in ranking.systems
            if system.over_repeats is not None
            and system.mean.high is not None
            and system.mean.low is not None
        ]
        if both:
            repeats, questions = zip(*both, strict=True)
            yield Finding(
                "interval over repeats",
                f"{checked.format}: over repeats alone, 1.96 standard errors are "
                f"{min(repeats):.3f} to {max(repeats):.3f}; over questions the interval is "
                f"+-{min(questions):.3f} to {max(questions):.3f} ({len(both)} systems)",
                sum(over < of for over, of in both),
                len(both),
            )


def ranks_by_judge(checked: CheckedRuns) -> Iterator[Finding]:
    """Find the systems that the main score ranks differently than the judge does."""
    for ranking in checked.rankings:
        moved = [system for system in ranking.systems if system.rank != system.base_rank]
        places = (f"{at.system} is in place {at.base_rank}, not {at.rank}" for at in moved)
        if moved:
            yield Finding(
                "rank",
                f"{checked.format}: ranked by {ranking.base} instead of {ranking.score}, "
                + ", ".join(places),
                len(moved),
                len(ranking.systems),
            )


SCORE_CHECKS: tuple[Check, ...] = (
    formulas,
    halved_right_answers,
    constant_values,
    intervals_over_repeats,
    ranks_by_judge,
)


def _format_value(value: bool | float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
