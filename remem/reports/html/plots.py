"""The plots of a run: recall by depth; score against tokens, dollars and steps; time and money."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from remem.metrics.intervals import Interval, ratio_intervals
from remem.metrics.question_scores import QuestionScores, recall_at
from remem.metrics.scores import mean_score, scored
from remem.reports.html.charts import Chart, PlottedMean, dot_chart, point_chart
from remem.results.costs import dollars_of, tokens_of
from remem.results.run import Run
from remem.types import Record, Stage

GROUPS = 8
"""Number of equally large groups that questions are divided into, by their cost."""

DEEPEST = 20
"""The largest number of items whose recall is drawn."""

STAGES: tuple[Stage, ...] = ("index", "recall", "read", "judge")


@dataclass(frozen=True, slots=True)
class StageShare:
    """The share of one stage in a total; `start` and `width` of its bar are in percent."""

    stage: str
    written: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class SpentByStage:
    """The total of one resource, such as tokens, and the share of each stage in it.

    `shares` is empty if the run used none of the resource.
    """

    what: str
    total: str
    shares: tuple[StageShare, ...]


def charts(run: Run) -> list[Chart]:
    """Return the charts for which the records have data."""
    return [
        chart
        for chart in (
            _recall_curve(run),
            _by_tokens(run),
            _by_dollars(run),
            _by_steps(run),
            _refusals(run),
        )
        if chart is not None
    ]


def spent(run: Run) -> list[SpentByStage]:
    """Return how seconds, tokens and dollars are divided between the stages."""
    timed = run.timings.values()
    seconds: dict[Stage, float] = {
        "index": run.manifest.index_seconds,
        "recall": sum(timing.recall_seconds for timing in timed),
        "read": sum(timing.read_seconds for timing in timed),
    }
    amounts = [_spent("time", seconds, lambda total: f"{total:,.1f} s")]
    if run.stages:
        into = {stage.stage: float(stage.usage.prompt_tokens) for stage in run.stages}
        out = {stage.stage: float(stage.usage.completion_tokens) for stage in run.stages}
        amounts.append(_spent("tokens in", into, lambda total: f"{total:,.0f}"))
        amounts.append(_spent("tokens out", out, lambda total: f"{total:,.0f}"))
    money = {stage.stage: stage.dollars for stage in run.stages if stage.dollars is not None}
    if money:
        what = "dollars" if len(money) == len(run.stages) else "dollars, where prices are known"
        amounts.append(_spent(what, money, lambda total: f"${total:,.4f}"))
    return amounts


def _spent(
    what: str, parts: Mapping[Stage, float], written: Callable[[float], str]
) -> SpentByStage:
    total = sum(parts.values())
    shares = []
    start = 0.0
    for stage in STAGES:
        width = 100 * parts.get(stage, 0.0) / total if total else 0.0
        if width:
            shares.append(
                StageShare(stage, written(parts[stage]), round(start, 2), round(width, 2))
            )
        start += width
    return SpentByStage(what, written(total), tuple(shares))


def _recall_curve(run: Run) -> Chart | None:
    """Draw recall@k; None without several ranked items or without known gold evidence."""
    answered = scored(run.records)
    longest = max((len(record.retrieved) for record in answered if record.ranked), default=0)
    depths = [float(k) for k in range(1, min(longest, DEEPEST) + 1)]
    recalls = [
        replace(
            run.scores[record.query_id],
            scores={str(k): recall_at(record, run.convention, k=int(k)) for k in depths},
        )
        for record in answered
    ]
    measured = _means(run, {k: (recalls, str(k)) for k in depths})
    if len(measured) < 2:
        return None
    note = (
        f"The share of gold evidence that the first k items hold, over the "
        f"{measured[0].interval.n:,} questions with gold evidence."
    )
    return replace(point_chart("recall@k", note, "the first k items", measured), kind="curve")


def _by_tokens(run: Run) -> Chart | None:
    title = f"{run.main_heading} against tokens"
    if run.stages:
        return _against(run, title, "tokens of models for a question, in and out", tokens_of)
    across = "tokens of evidence that the reader was given"
    return _against(run, title, across, lambda record: record.context_tokens)


def _by_dollars(run: Run) -> Chart | None:
    if not run.stages or run.prices["recall"] is None or run.prices["read"] is None:
        return None
    title = f"{run.main_heading} against dollars"
    return _against(
        run, title, "dollars for a question", lambda record: dollars_of(record, run.prices) or 0.0
    )


def _against(
    run: Run, title: str, across: str, of: Callable[[Record], float | None]
) -> Chart | None:
    priced = [(record, cost) for record in scored(run.records) if (cost := of(record)) is not None]
    took = np.array([cost for _, cost in priced], dtype=np.float64)
    if not took.any():
        return None
    edges = np.unique(np.quantile(took, np.linspace(0, 1, GROUPS + 1)[1:-1]))
    groups: defaultdict[int, list[Record]] = defaultdict(list)
    costs: defaultdict[int, list[float]] = defaultdict(list)
    for (record, cost), group in zip(priced, np.digitize(took, edges), strict=True):
        groups[int(group)].append(record)
        costs[int(group)].append(cost)
    places = {group: float(np.mean(costs[group])) for group in groups}
    measured = _main_means(run, {place: groups[group] for group, place in sorted(places.items())})
    note = f"Questions in up to {GROUPS} groups by their cost; each point is a group."
    return point_chart(title, note, across, measured) if len(measured) > 1 else None


def _by_steps(run: Run) -> Chart | None:
    groups: defaultdict[float, list[Record]] = defaultdict(list)
    for record in scored(run.records):
        groups[len(record.steps)].append(record)
    measured = _main_means(run, dict(sorted(groups.items())))
    note = "Questions by their number of tool calls."
    title = f"{run.main_heading} by steps"
    return dot_chart(title, note, "steps", measured) if len(measured) > 1 else None


def _main_means(run: Run, groups: Mapping[float, Sequence[Record]]) -> list[PlottedMean]:
    """Return the mean main score of each group that has a score, in the order of the groups."""
    return _means(
        run,
        {
            place: ([run.scores[record.query_id] for record in records], run.main_score)
            for place, records in groups.items()
        },
    )


def _means(
    run: Run, groups: Mapping[float, tuple[Sequence[QuestionScores], str]]
) -> list[PlottedMean]:
    """Return the mean of each group that has the score of this name, in the order of the groups."""
    ratios = {
        place: ratio
        for place, (questions, name) in groups.items()
        if (ratio := mean_score(questions, name, run.convention.bootstrap_unit)) is not None
    }
    intervals = ratio_intervals(
        list(ratios.values()), resamples=run.convention.resamples, seed=run.convention.seed
    )
    return [
        PlottedMean(f"{place:,.4g}", place, interval)
        for place, interval in zip(ratios, intervals, strict=True)
    ]


def _refusals(run: Run) -> Chart | None:
    intervals, counts = run.summary.refusal_intervals, run.summary.refusal
    by_name: dict[str, Interval | None] = {
        "precision": intervals.precision,
        "recall": intervals.recall,
        "F1": intervals.f1,
    }
    measured = [
        PlottedMean(name, at, interval)
        for at, (name, interval) in enumerate(by_name.items())
        if interval is not None
    ]
    note = (
        f"{counts.refusals:,} refusals, {counts.unanswerable:,} unanswerable questions, "
        f"{counts.true_positives:,} are both."
    )
    return dot_chart("refusals", note, "of unanswerable questions", measured) if measured else None
