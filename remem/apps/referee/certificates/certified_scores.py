"""Score a run of a bundle under its own convention and under each convention of `conf/convention`.

A run that was replayed or restored has records to score. For any other run, the bundle has only
the scores of its questions, under its own convention.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from remem.apps.referee.certificates.certificate import DIGITS, CertifiedScore, CertifiedScores
from remem.bundle.layout import run_entry
from remem.bundle.reading import Bundle
from remem.bundle.run_parts import RunParts, verdict_shares
from remem.config.run_config import RunConfig
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval, ratio_intervals
from remem.metrics.question_scores import QuestionScores, read_score_row
from remem.metrics.scores import mean_score, score_questions
from remem.results.conventions import score_sets
from remem.results.run import Run
from remem.results.verdicts import judgment_files, mean_verdicts

VERDICT = "llm_judge"
"""The score that is the share of "correct" among the verdicts of a judge."""


@dataclass(frozen=True, slots=True)
class Way:
    """The scores of a run under one convention, with the verdicts of each judge by question id."""

    name: str
    convention: ScoreConvention
    questions: Sequence[QuestionScores]
    verdicts: Mapping[str, Mapping[str, float]]


def kept_run_ways(run: Run, parts: RunParts, config: RunConfig) -> list[Way]:
    """Score a run from its records under every convention, starting with the run's own."""
    released = config.settings.dataset.released_f1
    named = score_sets([], released, parts.convention.scores)
    own = own_convention(parts.convention, config.settings.convention.name, named)
    conventions = {own: parts.convention, **{key: named[key] for key in named if key != own}}
    return [_kept_run_way(run, name, conventions[name]) for name in conventions]


def packed_ways(bundle: Bundle, parts: RunParts, config: RunConfig) -> list[Way]:
    """Return the scores in the bundle: without records, there is no other way to score a run."""
    lines = bundle.lines(run_entry(parts.number, "questions.jsonl"), dict[str, Any])
    questions = [read_score_row(row) for row in lines]
    verdicts = {name: verdict_shares(shares) for name, shares in parts.verdicts.items()}
    named = score_sets([], config.settings.dataset.released_f1, parts.convention.scores)
    own = own_convention(parts.convention, config.settings.convention.name, named)
    return [Way(own, parts.convention, questions, verdicts)]


def own_convention(
    convention: ScoreConvention, name: str, named: Mapping[str, ScoreConvention]
) -> str:
    """Return the name of a run's convention, with the run's choices that differ from it."""
    chosen = convention.chosen
    usual: Mapping[str, str | int] = named[name].chosen if name in named else {}
    changed = [f"{key}={value}" for key, value in chosen.items() if usual.get(key) != value]
    return ",".join((name, *changed))


def certified_scorings(ways: Sequence[Way], shown: Sequence[str]) -> tuple[CertifiedScores, ...]:
    """Return, for each way, the scores in `shown`, and each judge's share of "correct"."""
    return tuple(
        CertifiedScores(way.name, way.convention.chosen, tuple(_scores(way, shown))) for way in ways
    )


def _kept_run_way(run: Run, name: str, convention: ScoreConvention) -> Way:
    verdicts = {
        path.name: mean_verdicts(path, run.records, convention.refusal_gold)
        for path in judgment_files(run.folder)
    }
    return Way(name, convention, score_questions(run.records, convention), verdicts)


def _scores(way: Way, shown: Sequence[str]) -> list[CertifiedScore]:
    columns = [("", name, way.questions) for name in shown if name in way.convention.score_names]
    columns += [
        (judge, VERDICT, [_with_verdict(question, verdict_shares_of) for question in way.questions])
        for judge, verdict_shares_of in way.verdicts.items()
    ]
    unit = way.convention.bootstrap_unit
    means = [mean_score(questions, name, unit) for _, name, questions in columns]
    intervals = iter(
        ratio_intervals(
            [ratio for ratio in means if ratio is not None],
            resamples=way.convention.resamples,
            seed=way.convention.seed,
        )
    )
    return [
        _score(way.convention, judge, name, questions if place == 0 or judge else (), interval)
        for place, ((judge, name, questions), ratio) in enumerate(zip(columns, means, strict=True))
        if ratio is not None and (interval := next(intervals)) is not None
    ]


def _with_verdict(question: QuestionScores, shares: Mapping[str, float]) -> QuestionScores:
    scores = {**question.scores, VERDICT: shares.get(question.query_id)}
    return replace(question, scores=scores)


def _score(
    convention: ScoreConvention,
    judge: str,
    name: str,
    ranked: Sequence[QuestionScores],
    interval: Interval,
) -> CertifiedScore:
    return CertifiedScore(
        name=name,
        heading=convention.heading(name),
        judge=judge,
        better=convention.better(name) or "higher",
        share=convention.is_share(name),
        mean=round(interval.mean, DIGITS),
        low=_rounded(interval.low),
        high=_rounded(interval.high),
        n=interval.n,
        clusters=interval.clusters,
        values=tuple(_rounded(question.value(name)) for question in ranked),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), DIGITS)
