"""The figures of a table: the paper's Figure 1, and a chart for each column of scores.

The paper draws Figure 1 but does not print its numbers. Here each number is the mean of the columns
that the caption names; its interval assumes that the two benchmarks are independent. A chart has a
row for each system. In the row, a dot shows each mean, on a line that shows its interval.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import ClassVar, Literal

from remem.metrics.columns import ScoreColumn
from remem.paper.layout import VERDICTS, parse_number
from remem.reports.html.charts import MOST_LINES, Chart, PlottedMean, line_chart, ticks_around
from remem.reports.html.table_cells import title_in_words
from remem.tables.table import Block, Cell, Row, Table, Value

FIGURE_1 = {
    "recollection": ("locomo llm_j", "realtalk llm_j"),
    "reasoning": ("complex_tr llm_j", "tot"),
}
"""The columns that the paper's Figure 1 averages, by table."""

SCORES = {"F1", "BLEU-1", "LLM-J", "EM", "precision", "recall", "f1"}
"""Headings of the columns in percent; the other columns are counts, times and prices."""


Series = Literal["ours", "paper", "llm-free"]
LONGEST_NAME = 80
"""The longest part of a label, in characters, that each point of its curve repeats."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A system's mean; `low` and `high` are None if it has no interval."""

    series: Series
    value: float
    low: float | None
    high: float | None
    written: str
    said: str = ""

    @property
    def tip(self) -> str:
        """The number in words, with its interval."""
        ends = ""
        if self.low is not None and self.high is not None:
            decimals = len(self.written.partition(".")[2])
            ends = f" [{self.low:,.{decimals}f}, {self.high:,.{decimals}f}]"
        return f"{self.series}: {self.written}{ends}{self.said}"


@dataclass(frozen=True, slots=True)
class PlottedRow:
    """A row: its label and its numbers."""

    label: str
    means: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class RowChart:
    """A chart with a row for each system that has a number; `ticks` are the ticks of its axis."""

    line_height: ClassVar[int] = 14
    widest: ClassVar[float] = 86.0
    """Where the axis ends, in per cent of the width; the rest is for numbers next to the dots."""

    title: str
    note: str
    systems: tuple[PlottedRow, ...]
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return the horizontal position of a value, in per cent of the width."""
        first, *_, last = self.ticks
        return round(self.widest * (value - first) / (last - first), 2)


def figures_of(table: Table) -> list[RowChart]:
    """Return a chart for each column; for a paper's table, charts also show the paper's numbers."""
    if table.number is None:
        charts = list(_own_charts(table))
    else:
        charts = [_figure_1(table)] if table.name in FIGURE_1 else []
        charts += [_column_chart(table, at) for at in range(len(table.blocks[0].columns))]
    return [chart for chart in charts if chart is not None]


def budget_charts(table: Table) -> Iterator[Chart]:
    """Yield a line chart for each block with token budgets; each row of the block is a line."""
    for block in table.blocks:
        lines = {
            row.title: [
                PlottedMean(row.title[:LONGEST_NAME], budget, cell.ours)
                for budget, cell in zip(block.budgets, row.cells[1:], strict=True)
                if cell is not None and cell.ours is not None
            ]
            for row in block.rows[:MOST_LINES]
            if block.budgets
        }
        if drawn := {title: line for title, line in lines.items() if line}:
            yield line_chart(block.title, "tokens of evidence, at most", drawn)


def row_chart(title: str, note: str, systems: Sequence[PlottedRow]) -> RowChart | None:
    """Return a chart of the systems that have a number, or None if no system has one."""
    drawn = tuple(system for system in systems if system.means)
    if not drawn:
        return None
    means = [mean for system in drawn for mean in system.means]
    least = min(mean.value if mean.low is None else mean.low for mean in means)
    most = max(mean.value if mean.high is None else mean.high for mean in means)
    return RowChart(title, note, drawn, tuple(ticks_around(least, most)))


def _own_charts(table: Table) -> Iterator[RowChart | None]:
    """Yield the charts of the first column of each block, then of the second, and so on.

    A block with budgets has only a chart of its first column, the area, because a curve shows the
    other columns.
    """
    columns = [
        (at, column, block)
        for block in table.blocks
        for at, column in enumerate(block.columns[:1] if block.budgets else block.columns)
    ]
    for at, column, block in sorted(columns, key=lambda column: column[0]):
        yield _own_chart(at, column, block)


def _own_chart(at: int, column: ScoreColumn, block: Block) -> RowChart | None:
    systems = [PlottedRow(row.title, tuple(_own_means(row, at))) for row in block.rows]
    parts = (title_in_words(column), block.title.partition(":")[0])
    return row_chart(" · ".join(filter(None, parts)), "", systems)


def _figure_1(table: Table) -> RowChart | None:
    printed = table.blocks[0]
    keys = [column.score for column in printed.columns]
    places = [keys.index(key) for key in FIGURE_1[table.name]]
    averaged = " and ".join(printed.columns[at].title for at in places)
    systems = []
    for row in printed.rows:
        cells = [cell for at in places if (cell := row.cells[at]) is not None]
        means = [_means(cell) for cell in cells] if len(cells) == len(places) else []
        systems.append(PlottedRow(row.label, tuple(_averages(means))))
    return row_chart(
        f"Figure 1 of the paper: episodic {table.name}",
        f"Mean of {averaged}. The paper draws this figure without numbers; its bars here are "
        f"computed from this table. The intervals assume independent benchmarks. A system "
        f"without a number on both is left out.",
        systems,
    )


def _averages(means: Sequence[Sequence[Mean]]) -> Iterator[Mean]:
    """Yield the average of each series (ours and the paper's) that has a mean in every cell."""
    for series in ("ours", "paper"):
        of_series = [mean for cell in means for mean in cell if mean.series == series]
        if of_series and len(of_series) == len(means):
            yield _average(of_series)


def _average(means: Sequence[Mean]) -> Mean:
    value = sum(mean.value for mean in means) / len(means)
    below = [mean.value - mean.low for mean in means if mean.low is not None]
    above = [mean.high - mean.value for mean in means if mean.high is not None]
    has_intervals = len(below) == len(above) == len(means)
    return Mean(
        means[0].series,
        value,
        value - hypot(*below) / len(means) if has_intervals else None,
        value + hypot(*above) / len(means) if has_intervals else None,
        f"{value:.1f}",
        "".join(dict.fromkeys(mean.said for mean in means)),
    )


def _column_chart(table: Table, at: int) -> RowChart | None:
    column = table.blocks[0].columns[at]
    if column.heading not in SCORES:
        return None
    systems = [
        PlottedRow(row.label, () if cell is None else tuple(_means(cell)))
        for row in table.rows
        for cell in (row.cells[at],)
    ]
    return row_chart(column.title, "", systems)


def _own_means(row: Row, at: int) -> Iterator[Mean]:
    cell = row.cells[at]
    if cell is not None and cell.ours is not None:
        yield _mean("llm-free" if row.llm == "none" else "ours", cell.ours, cell.decimals)


def _means(cell: Cell) -> list[Mean]:
    """Return our mean and the paper's, or nothing if the paper prints a verdict, not a number."""
    if cell.paper in VERDICTS:
        return []
    means = []
    if cell.ours is not None:
        series: Series = "ours" if cell.paper else "llm-free"
        verdict_note = f" ({cell.verdict})" if cell.verdict else ""
        means.append(_mean(series, cell.ours, cell.decimals, verdict_note))
    if cell.paper:
        number = parse_number(cell.paper)
        value = float(number.value)
        low, high = (
            None if side is None else value + sign * float(side)
            for sign, side in ((-1, number.minus), (1, number.plus))
        )
        means.append(Mean("paper", value, low, high, number.printed))
    return means


def _mean(series: Series, ours: Value, decimals: int, note: str = "") -> Mean:
    return Mean(series, ours.mean, ours.low, ours.high, f"{ours.mean:,.{decimals}f}", note)
