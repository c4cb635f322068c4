"""Terminal tables of a run: its scores, costs, tokens, and curves over a growing memory."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.metrics.columns import ScoreColumn
from remem.metrics.scores import Summary
from remem.results.costs import StageUsage
from remem.results.run_notes import bracketed, cautions
from remem.results.standings import Standings
from remem.results.stream_curves import AXES, Axis, StreamScores, curve_rows
from remem.tables.notes import BlockCosts
from remem.tables.render import WideTable
from remem.tables.table import value
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
    """Return a table with a row for each run and a column for each cost that any run has."""
    title = f"Time and cost: {block.title}" if block.title else "Time and cost"
    table = RichTable(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Method")
    for heading in block.headings:
        table.add_column(heading, justify="right")
    for label, texts in block.texts():
        table.add_row(Text(label), *texts)
    return WideTable(table)


def show_standings(standings: Standings) -> WideTable:
    """Return a table with the score of each run and its difference from the first run."""
    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("run")
    first = standings.names[0]
    for heading in (
        standings.heading,
        f"difference from {first}",
        "p",
        "only this run right",
        f"only {first} right",
    ):
        table.add_column(Text(heading), justify="right")
    for run in standings.runs:
        score = standings.text(run.mean, signed=False)
        cells = [f"{score} {standings.interval(run.mean, signed=False)}"]
        if run.difference is not None:
            gap = f"{standings.text(run.difference)} {standings.interval(run.difference)}"
            cells += [gap, run.p_text, str(run.only_here), str(run.only_first)]
        table.add_row(*map(Text, (run.name, *cells)))
    return WideTable(table)


HEADINGS = ("stage", "calls", "tokens in", "tokens out", "tokens in, each", "dollars")


def show_usage(title: str, stages: Sequence[StageUsage]) -> RichTable:
    """Return a table with calls, tokens and dollars of each stage and their total."""
    table = RichTable(title=title, title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "stage" else "right")
    for stage in stages:
        mean = f"{stage.usage.prompt_tokens / stage.units:,.0f} / {stage.unit}"
        each = "-" if stage.usage.uncounted_calls else mean
        table.add_row(stage.stage, *_counts(stage.usage), each, _dollars(stage.dollars))
    *counts, dollars = _totals(stages)
    table.add_row("all", *counts, "", dollars)
    return table


def show_usages(usages: Mapping[tuple[str, str], Sequence[StageUsage]]) -> RichTable:
    """Return a table with the usage of all stages for each row of each block, and the total."""
    table = RichTable(box=box.SIMPLE_HEAD)
    for heading in ("block", "row", *HEADINGS[1:4], HEADINGS[-1]):
        table.add_column(heading, justify="left" if heading in {"block", "row"} else "right")
    for (title, label), stages in usages.items():
        table.add_row(Text(title), Text(label), *_totals(stages))
    table.add_section()
    table.add_row("all", "", *_totals([stage for stages in usages.values() for stage in stages]))
    return table


def _totals(stages: Sequence[StageUsage]) -> tuple[str, ...]:
    """Return calls, tokens in and out, and dollars of several stages."""
    priced = [stage.dollars for stage in stages if stage.dollars is not None]
    dollars = sum(priced) if priced and len(priced) == len(stages) else None
    return (*_counts(sum((stage.usage for stage in stages), Usage())), _dollars(dollars))


def _counts(usage: Usage) -> tuple[str, ...]:
    return (f"{usage.calls:,}", *usage.shown_tokens)


def _dollars(dollars: float | None) -> str:
    return "-" if dollars is None else f"{dollars:,.4f}"


def show_curves(stream_scores: StreamScores, axis: Axis) -> RichTable:
    """Return a table with a row for each age and a column for each measure."""
    curves = [curve for curve in stream_scores.curves if curve.axis == axis]
    title = f"Over the {AXES[axis].partition(',')[0]}"
    table = RichTable(title=title, title_justify="left", caption="means; intervals: stream.csv")
    table.add_column(AXES[axis].rpartition(" ")[2])
    for curve in curves:
        table.add_column(curve.measure.heading, justify="right")
    for row in curve_rows(curves):
        table.add_row(row.ages, *row.cells)
    return table
