"""The figures of a table: the paper's Figure 1, and a chart for each column of scores.

The paper draws Figure 1 without printing its numbers. Here they are computed: the means of the
columns that the caption names, with intervals that assume two independent benchmarks.
"""

from collections.abc import Iterator, Sequence
from math import hypot

from remem.paper.numbers import VERDICTS, parse_number
from remem.reports.html.row_chart import Mean, RowChart, Series, System, row_chart
from remem.tables.paper.compared import ComparedCell, ComparedTable
from remem.tables.render import row_label
from remem.tables.table import Cell, Table

FIGURE_1 = {
    "recollection": ("locomo llm_j", "realtalk llm_j"),
    "reasoning": ("complex_tr llm_j", "tot"),
}
"""The columns that the paper's Figure 1 averages, by table."""

SCORES = {"F1", "BLEU-1", "LLM-J", "EM", "precision", "recall", "f1"}
"""Headings of the columns in percent; the other columns are counts, times and prices."""


def paper_figures(table: ComparedTable) -> list[RowChart]:
    """Return the charts of a paper table: our numbers, the printed numbers and LLM-free rows."""
    charts = [_figure_1(table)] if table.name in FIGURE_1 else []
    charts += [_column_chart(table, at) for at in range(len(table.columns))]
    return [chart for chart in charts if chart is not None]


def own_figures(table: Table) -> list[RowChart]:
    """Return a chart for every column of a table of conf/table."""
    charts = []
    for block in table.blocks:
        for at, column in enumerate(block.columns):
            systems = []
            for row in block.rows:
                cell = row.cells[at]
                series: Series = "llm-free" if row.llm == "none" else "ours"
                means = () if cell is None else (_mean(series, cell, 1 if cell.percent else 0),)
                systems.append(System(row_label(row), means))
            cells = [row.cells[at] for row in block.rows]
            percent = all(cell is None or cell.percent for cell in cells)
            charts.append(row_chart(column.heading, block.title, systems, percent=percent))
    return [chart for chart in charts if chart is not None]


def _figure_1(table: ComparedTable) -> RowChart | None:
    keys = [column.key for column in table.columns]
    places = [keys.index(key) for key in FIGURE_1[table.name]]
    averaged = " and ".join(_heading(table, at) for at in places)
    systems = []
    for row in table.rows:
        found = [cell for at in places if (cell := row.cells[at]) is not None]
        means = [_means(cell) for cell in found] if len(found) == len(places) else []
        systems.append(System(row.label, tuple(_averages(means))))
    return row_chart(
        f"Figure 1 of the paper: episodic {table.name}",
        f"Mean of {averaged}. The paper draws this figure without numbers; its bars here are "
        f"computed from this table. The intervals assume independent benchmarks. A system "
        f"without a number on both is left out.",
        systems,
        percent=True,
    )


def _averages(means: Sequence[Sequence[Mean]]) -> Iterator[Mean]:
    """Yield the average of each series that all cells have."""
    for series in ("ours", "paper"):
        of_series = [mean for cell in means for mean in cell if mean.series == series]
        if of_series and len(of_series) == len(means):
            yield _average(of_series)


def _average(means: Sequence[Mean]) -> Mean:
    value = sum(mean.value for mean in means) / len(means)
    below = [mean.value - mean.low for mean in means if mean.low is not None]
    above = [mean.high - mean.value for mean in means if mean.high is not None]
    known = len(below) == len(above) == len(means)
    return Mean(
        means[0].series,
        value,
        value - hypot(*below) / len(means) if known else None,
        value + hypot(*above) / len(means) if known else None,
        f"{value:.1f}",
        "".join(dict.fromkeys(mean.said for mean in means)),
    )


def _column_chart(table: ComparedTable, at: int) -> RowChart | None:
    if table.columns[at].metric not in SCORES:
        return None
    systems = [
        System(row.label, () if cell is None else tuple(_means(cell)))
        for row in (*table.rows, *table.llm_free)
        for cell in (row.cells[at],)
    ]
    return row_chart(_heading(table, at), "", systems, percent=True)


def _heading(table: ComparedTable, at: int) -> str:
    column = table.columns[at]
    return f"{column.group} {column.metric}".strip()


def _means(cell: ComparedCell) -> list[Mean]:
    """Return our mean and the paper's, or nothing if the paper prints a verdict, not a number."""
    if cell.paper in VERDICTS:
        return []
    means = []
    if cell.ours is not None:
        series: Series = "ours" if cell.paper else "llm-free"
        said = f" ({cell.verdict})" if cell.verdict else ""
        means.append(_mean(series, cell.ours, cell.decimals, said))
    if cell.paper:
        number = parse_number(cell.paper)
        value = float(number.value)
        low, high = (
            None if side is None else value + sign * float(side)
            for sign, side in ((-1, number.minus), (1, number.plus))
        )
        means.append(Mean("paper", value, low, high, number.printed))
    return means


def _mean(series: Series, cell: Cell, decimals: int, said: str = "") -> Mean:
    return Mean(series, cell.mean, cell.low, cell.high, f"{cell.mean:,.{decimals}f}", said)
