"""Audit systems with published answers: recompute their means, and score all by the same rules."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from remem.apps.referee.audits.explained import CheckedMean, check_mean
from remem.apps.referee.audits.length import JudgedLength, LengthEffect, length_effect
from remem.apps.referee.audits.scored_answers import ScoredAnswer, scored_answers
from remem.apps.referee.audits.stated import StatedMean
from remem.apps.referee.imports.aggregates import RESAMPLES, SEED
from remem.apps.referee.imports.answer_checks import ANSWER_CHECKS
from remem.apps.referee.imports.checked_runs import CheckedRuns, Finding
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.score_checks import SCORE_CHECKS
from remem.apps.referee.imports.system_ranking import (
    RankedPairs,
    SystemPair,
    Values,
    dataset_of,
    rankings,
    test_pairs,
)
from remem.config.run_config import compose_config, run_config
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.intake import Remark
from remem.metrics.intervals import Interval, mean_interval
from remem.metrics.tokens import estimated_tokens
from remem.results.verdicts import mean_by_query

PUBLISHED, RULES = "published", "rules"
"""Names for the verdicts of a source, and for those of judge=rules, which judges all answers."""
System = tuple[str, str, str]
"""The source, the data set and the name of a system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedSystem:
    """A system from one source, with the results of all its runs.

    `ours`, `rules` and `f1` are means over questions; a question with repeats counts once, with the
    mean of its repeats.

    Attributes:
        source: The format of its files.
        system: Its name.
        dataset: The data set of its questions.
        runs: The number of runs: files, repeats or conversations.
        rows: The number of rows in its files.
        answers: The number of answers with a gold answer.
        errors: The number of rows with an error instead of an answer; these have no score.
        left_out: The reasons why rows are left out, each with the number of such rows and the place
            of the first.
        judge: The judge whose verdicts count; "" without verdicts.
        means: The published means, each compared with the verdicts behind it.
        published: The mean of the published verdicts on all answers of the files.
        ours: The same mean under our conventions: each question counts once, and errors do not
            count.
        rules: The mean of the verdicts of `judge=rules`.
        f1: F1 by the convention of the data set.
        words: The median number of words of an answer.
        tokens: The median number of tokens of a context; None if it is not stated.
        is_estimated: Whether `tokens` is estimated from the text of the contexts.
        lacking: By category, the number of unanswered questions about histories with an answer.
    """

    source: str
    system: str
    dataset: str
    runs: int
    rows: int
    answers: int
    errors: int
    left_out: tuple[Remark, ...]
    judge: str
    means: tuple[CheckedMean, ...]
    published: Interval | None
    ours: Interval | None
    rules: Interval | None
    f1: Interval | None
    words: float
    tokens: float | None
    is_estimated: bool
    lacking: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ComparedSystems:
    """All pairs of systems that answered the same questions, compared by one judge's verdicts.

    `source` is "" if the systems are of several sources.
    """

    source: str
    dataset: str
    judge: str
    pairs: tuple[SystemPair, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The systems, their pairwise comparisons, the effects of answer length, and all findings."""

    systems: tuple[AuditedSystem, ...]
    compared: tuple[ComparedSystems, ...]
    lengths: tuple[LengthEffect, ...]
    findings: tuple[Finding, ...]


def audit_systems(
    matched: Sequence[MatchedAnswers],
    stated: Sequence[StatedMean] = (),
    overrides: Sequence[str] = (),
) -> Audit:
    """Audit the systems of all runs, separately for each source and data set.

    Args:
        matched: The runs.
        stated: Means over all answers of a system that are published outside its files.
        overrides: Hydra overrides.

    Raises:
        UsageError: A stated mean belongs to no system, or there are too many pairs to test.
    """
    _check_named(stated, matched)
    _check_files(matched)
    (judge,) = run_config(compose_config(["judge=rules", *overrides])).build_judges()
    by_system: defaultdict[System, list[MatchedAnswers]] = defaultdict(list)
    for run in matched:
        by_system[run.imported.format, dataset_of(run), run.imported.system].append(run)
    ranked = rankings(matched)  # first, because it refuses too many systems
    scored = {system: scored_answers(runs, judge, overrides) for system, runs in by_system.items()}
    return Audit(
        tuple(_audited(system, runs, scored[system], stated) for system, runs in by_system.items()),
        (*map(_of_source, ranked), *_by_rules(scored)),
        tuple(_lengths(scored)),
        find(matched, ranked),
    )


def _check_named(stated: Sequence[StatedMean], matched: Sequence[MatchedAnswers]) -> None:
    systems = {(run.imported.system, run.imported.format, dataset_of(run)) for run in matched}
    known = sorted({name for name, _, _ in systems})
    for mean in stated:
        sources = sorted(
            source
            for name, source, _ in systems
            if name == mean.system and mean.source in ("", source)
        )
        if not sources:
            named = "@".join(filter(None, (mean.system, mean.source)))
            raise UsageError(
                f"--stated names the system {named!r}, "
                f"expected {either(known)}{did_you_mean(mean.system, known)}"
            )
        if len(sources) > 1:
            raise UsageError(
                f"--stated names the system {mean.system!r}, which is in several sources "
                f"({', '.join(sources)}): name one of them, as in {mean.system}@{sources[0]}=..., "
                f"and give only the files of one data set"
            )


def _check_files(matched: Sequence[MatchedAnswers]) -> None:
    """Raise UsageError if a file is there twice: its answers would count as repeats."""
    seen: dict[tuple[str, str], str] = {}
    for run in matched:
        of_run = (run.imported.file.sha256, run.imported.label)
        if of_run in seen:
            raise UsageError(
                f"{run.imported.file.name} has the same content as {seen[of_run]}; leave out one "
                f"of them"
            )
        seen[of_run] = run.imported.file.name


def _audited(
    system: System,
    runs: Sequence[MatchedAnswers],
    scored: Sequence[ScoredAnswer],
    stated: Sequence[StatedMean],
) -> AuditedSystem:
    source, dataset, name = system
    with_verdicts = [run for run in runs if run.imported.main]
    main = with_verdicts[0].imported.main if with_verdicts else ""
    imported = [answer for run in with_verdicts or runs for answer in run.imported.answers]
    published = [answer.verdicts[main] for answer in imported if main in answer.verdicts]
    tokens = [answer.context_tokens for answer in imported if answer.context_tokens is not None]
    estimates = [estimated_tokens(answer.context) for answer in imported if answer.context]
    return AuditedSystem(
        source=source,
        system=name,
        dataset=dataset,
        runs=len(runs),
        rows=sum(run.account.arrived for run in runs),
        answers=sum(len(run.answers) for run in runs),
        errors=sum(answer.answer.answer is None for run in runs for answer in run.answers),
        judge=main,
        left_out=tuple(remark for run in runs for remark in run.account.left_out),
        means=tuple(_checked_means(system, runs, with_verdicts or runs, stated)),
        published=_mean(published),
        ours=_mean_by_question((each.query_id, each.published) for each in scored),
        rules=_mean_by_question((each.query_id, each.rules) for each in scored),
        f1=_mean_by_question((each.query_id, each.f1) for each in scored),
        words=median(each.words for each in scored) if scored else 0,
        tokens=median(tokens or estimates) if tokens or estimates else None,
        is_estimated=bool(estimates) and not tokens,
        lacking=_lacking(runs),
    )


def _checked_means(
    system: System,
    runs: Sequence[MatchedAnswers],
    judged: Sequence[MatchedAnswers],
    stated: Sequence[StatedMean],
) -> Iterator[CheckedMean]:
    for run in runs:
        for mean in run.imported.published:
            yield check_mean(
                [run],
                mean.value,
                mean.digits,
                system=run.imported.label,
                judge=mean.judge,
                category=mean.category,
            )
    for claim in stated:
        source, _, name = system
        if claim.system == name and claim.source in ("", source):
            judge = judged[0].imported.main
            yield check_mean(judged, claim.value, claim.digits, system=name, judge=judge)


def _lacking(runs: Sequence[MatchedAnswers]) -> Mapping[str, int]:
    """Count, by category, the questions that no run answers, in histories with some answer."""
    answered = {answer.id for run in runs for answer in run.answers}
    lacking = {name for run in runs for name in run.not_answered} - answered
    questions = [] if runs[0].known is None else runs[0].known.questions
    categories = (each.gold.category for each in questions if each.query.id in lacking)
    return dict(sorted(Counter(categories).items()))


def _mean(values: Sequence[float]) -> Interval | None:
    if not values:
        return None
    return mean_interval(np.array(values, dtype=np.float64), resamples=RESAMPLES, seed=SEED)


def _mean_by_question(values: Iterable[tuple[str, float | None]]) -> Interval | None:
    """Return the mean over questions; each counts by the mean of its repeats with a value."""
    stated = ((query_id, value) for query_id, value in values if value is not None)
    return _mean(list(mean_by_query(stated).values()))


def _of_source(ranked: RankedPairs) -> ComparedSystems:
    return ComparedSystems(ranked.format, ranked.dataset, ranked.score, ranked.pairs)


def _by_rules(scored: Mapping[System, Sequence[ScoredAnswer]]) -> Iterator[ComparedSystems]:
    """Compare the systems of all sources pairwise for each data set, scored by the same rules."""
    by_dataset: defaultdict[str, dict[str, Values]] = defaultdict(dict)
    for (source, dataset, name), answers in scored.items():
        rules = mean_by_query((each.query_id, each.rules) for each in answers)
        by_dataset[dataset][f"{name}, {source}"] = rules
    for dataset, values in by_dataset.items():
        if pairs := test_pairs(values):
            yield ComparedSystems("", dataset, RULES, pairs)


def _lengths(scored: Mapping[System, Sequence[ScoredAnswer]]) -> Iterator[LengthEffect]:
    """Yield, by source, the effect of length on the published verdicts and on `judge=rules`."""
    by_source: defaultdict[tuple[str, str], list[tuple[str, ScoredAnswer]]] = defaultdict(list)
    for (source, dataset, name), answers in scored.items():
        by_source[source, dataset] += [(name, answer) for answer in answers]
    for (source, dataset), answers_of_source in by_source.items():
        published, rules = [], []
        for name, answer in answers_of_source:
            if answer.published is not None:
                words = (name, answer.query_id, answer.words)
                published.append(JudgedLength(*words, answer.published))
                rules.append(JudgedLength(*words, answer.rules))
        for judge, judged in ((PUBLISHED, published), (RULES, rules)):
            effect = length_effect(source, dataset, judge, judged)
            if effect is not None:
                yield effect


def find(runs: Sequence[MatchedAnswers], ranked: Sequence[RankedPairs]) -> tuple[Finding, ...]:
    """Return the findings of all checks; the runs of one format are checked together."""
    by_format: defaultdict[str, list[MatchedAnswers]] = defaultdict(list)
    for run in runs:
        by_format[run.imported.format].append(run)
    return tuple(
        finding
        for format, group in by_format.items()
        for check in (*SCORE_CHECKS, *ANSWER_CHECKS)
        for finding in check(CheckedRuns(group, [each for each in ranked if each.format == format]))
    )
