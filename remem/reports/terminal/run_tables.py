"""Terminal tables of a run and of its judges: scores, costs, tokens, curves, stress, agreement."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.judge.stress import RIGHT, SPECIFIC, VAGUE, Kind, StressResult
from remem.metrics.agreement import Agreement
from remem.metrics.columns import ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Share, VarianceParts, share
from remem.metrics.scores import Summary
from remem.results.costs import StageUsage
from remem.results.interval_text import bracketed, cautions
from remem.results.stream_curves import AXES, Axis, StreamScores, curve_rows
from remem.tables.costs import BlockCosts
from remem.tables.table import value
from remem.tables.wide_table import WideTable
from remem.types import Usage


def show_scores(label: str, summary: Summary, scores: list[str]) -> WideTable:
    """Return a table of the named scores over all questions and per category, with intervals."""
    table = RichTable(title=label, title_justify="left", caption=_caption(summary))
    headings = map(summary.convention.heading, scores)
    for heading in ("category", "n", *headings):
        table.add_column(heading, justify="right" if heading != "category" else "left")
    for part in (summary.overall, *summary.categories):
        cells = (value(ScoreColumn(score, score, part.category), summary) for score in scores)
        shown = (
            "-" if estimate is None else f"{estimate.mean:.1f} {bracketed(estimate, '.1f')}"
            for estimate in cells
        )
        count = f"{part.n}" if part.n == part.total else f"{part.n}/{part.total}"
        table.add_row(Text(part.category or "all"), count, *shown)
    return WideTable(table)


def _caption(summary: Summary) -> str:
    refusal = summary.refusal
    counts = f"{refusal.refusals} refusals, {refusal.unanswerable} questions are unanswerable"
    return "\n".join((counts, *cautions(summary.means)))


def show_costs(block: BlockCosts) -> WideTable:
    """Return a table with a row for each run and a column for each cost that one of them has."""
    title = f"Time and cost: {block.title}" if block.title else "Time and cost"
    table = RichTable(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Method")
    for heading in block.headings:
        table.add_column(heading, justify="right")
    for row in block.rows:
        table.add_row(Text(row.label), *block.texts(row))
    return WideTable(table)


HEADINGS = ("stage", "calls", "tokens in", "tokens out", "tokens in, each", "dollars")


def show_usage(title: str, stages: Sequence[StageUsage]) -> RichTable:
    """Return a table with calls, tokens and dollars of each stage and their total."""
    table = RichTable(title=title, title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "stage" else "right")
    for stage in stages:
        each = f"{stage.usage.prompt_tokens / stage.units:,.0f} / {stage.unit}"
        table.add_row(stage.stage, *_counts(stage.usage), each, _dollars(stage.dollars))
    total = sum((stage.usage for stage in stages), Usage())
    priced = [stage.dollars for stage in stages if stage.dollars is not None]
    dollars = sum(priced) if priced and len(priced) == len(stages) else None
    table.add_row("all", *_counts(total), "", _dollars(dollars))
    return table


def _counts(usage: Usage) -> tuple[str, ...]:
    return tuple(f"{n:,}" for n in (usage.calls, usage.prompt_tokens, usage.completion_tokens))


def _dollars(dollars: float | None) -> str:
    return "-" if dollars is None else f"{dollars:,.4f}"


def show_curves(found: StreamScores, axis: Axis) -> RichTable:
    """Return a table with a row for each age and a column for each measure."""
    curves = [curve for curve in found.curves if curve.axis == axis]
    title = f"Over the {AXES[axis].partition(',')[0]}"
    table = RichTable(title=title, title_justify="left", caption="means; intervals: stream.csv")
    table.add_column(AXES[axis].rpartition(" ")[2])
    for curve in curves:
        table.add_column(curve.measure.heading, justify="right")
    for row in curve_rows(curves):
        table.add_row(row.ages, *row.cells)
    return table


def show_stress(result: StressResult) -> RichTable:
    """Return a table of accepted answers per kind: the share in percent, with interval."""
    table = RichTable(title="Generated answers that the judge accepts", title_justify="left")
    table.add_column("answers")
    for heading in ("n", "accepted", "share", "95% interval"):
        table.add_column(heading, justify="right")
    for title, kinds in (
        ("right", RIGHT),
        ("wrong: specific", SPECIFIC),
        ("wrong: vague", VAGUE),
    ):
        given = {kind: result.accepted[kind] for kind in kinds if kind in result.accepted}
        if given:
            _add_row(table, title, _together(given))
            for kind, share in given.items():
                _add_row(table, f"  {kind.replace('_', ' ')}", share)
    return table


def _together(given: dict[Kind, Share]) -> Share:
    return share(
        sum(share.count for share in given.values()), sum(share.n for share in given.values())
    )


def _add_row(table: RichTable, title: str, share: Share) -> None:
    bounds = f"{100 * share.low:.1f} to {100 * share.high:.1f}"
    table.add_row(title, str(share.n), str(share.count), f"{100 * share.mean:.1f}", bounds)


NONE = "-"


def show_agreements(found: Mapping[str, Agreement], convention: ScoreConvention) -> RichTable:
    """Return a table of each score's mean, correlations, kappa and differences from the labels."""
    table = RichTable(title="Agreement with the labels", title_justify="left")
    table.add_column("score", no_wrap=True)
    for heading in (
        "n",
        "mean",
        "labels' mean",
        "Pearson",
        "Spearman",
        "kappa",
        "agreed",
        "too kind",
        "too strict",
    ):
        table.add_column(heading, justify="right")
    for name, agreement in found.items():
        numbers = (
            agreement.mean,
            agreement.label_mean,
            agreement.pearson,
            agreement.spearman,
            agreement.kappa,
        )
        counts = (agreement.agreed, agreement.too_kind, agreement.too_strict)
        table.add_row(
            convention.heading(name),
            str(agreement.n),
            *(NONE if number is None else f"{number:.3f}" for number in numbers),
            *(NONE if count is None else str(count) for count in counts),
        )
    return table


def told_variance(parts: VarianceParts) -> tuple[str, ...]:
    """Return sentences on how much the judge and the answers add to the noise of a score."""
    judge = (
        f"{parts.questions} questions, {parts.runs} runs, {parts.repeats} verdicts per answer: "
        f"the judge contradicts itself on {100 * parts.flipped:.1f}% of the answers and moves the "
        f"score by {100 * parts.judge_sd:.2f} points (one standard deviation)"
    )
    if parts.answers_sd is None:
        return (
            judge,
            "to measure how much the score varies between runs, make a second run (run.repeat=1)",
        )
    return (
        judge,
        f"the answers of another run move the score by {100 * parts.answers_sd:.2f} points more",
    )
