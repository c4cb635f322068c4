"""What the runs of a table took, row by row, shown next to the table and not inside of it.

Scores are the same on every machine and seconds are not, so they are in a file of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.files.plain_text import csv_text
from remem.metrics.intervals import DEFINITION
from remem.results.costs import MEASURES, Cost, RunCosts, format_percentiles
from remem.results.run import Run
from remem.results.run_names import RunNames
from remem.tables.rows import RowOutcome

NAME = "costs.csv"
DIGITS = ".6g"
NOTE = (
    f"50th / 95th / 99th percentiles by {DEFINITION}: the index for a history, the rest for a "
    f"question. Seconds depend on the machine, on what else it does, and on how many questions are "
    f"asked at once; an index from the cache has none. To measure them: runner=serial cache=bypass "
    f"judge=none."
)


@dataclass(frozen=True, slots=True)
class RowCosts:
    """What the run of a row took."""

    label: str
    run: RunCosts


@dataclass(frozen=True, slots=True)
class BlockCosts:
    """What the runs of a block took."""

    title: str
    rows: tuple[RowCosts, ...]

    @property
    def columns(self) -> tuple[Cost, ...]:
        """The first cost of each name, in the order of MEASURES."""
        first_of: dict[str, Cost] = {}
        for row in self.rows:
            for cost in row.run.costs:
                first_of.setdefault(cost.name, cost)
        return tuple(first_of[name] for name in MEASURES if name in first_of)

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(map(heading, self.columns))

    def texts(self, row: RowCosts) -> tuple[str, ...]:
        """Return the cells of a row: the three percentiles of each cost, or "-"."""
        costs = (row.run.cost(column.name) for column in self.columns)
        return tuple("-" if cost is None else format_percentiles(cost) for cost in costs)


def block_costs(title: str, rows: Sequence[RowOutcome]) -> BlockCosts:
    """Return what the runs of a block took; a row without a run is left out."""
    return BlockCosts(
        title,
        tuple(
            RowCosts(row.config.label, row.run.costs)
            for row in rows
            if row.run is not None and not row.missing
        ),
    )


def compared_costs(names: RunNames, runs: tuple[Run, Run], category: str | None) -> BlockCosts:
    """Return what two runs took for the questions that both answered.

    Args:
        names: What the runs are called.
        runs: The two runs.
        category: Only the questions of this category; None for all.
    """
    rows = []
    first, second = ({r.query_id for r in run.records if r.status == "ok"} for run in runs)
    both = first & second
    for name, run in zip(names, runs, strict=True):
        records = [
            record
            for record in run.records
            if record.query_id in both and category in (None, record.gold.category)
        ]
        rows.append(RowCosts(name, run.costs_of(records)))
    return BlockCosts("", tuple(rows))


def heading(cost: Cost) -> str:
    """Return the heading of a column: what is measured, and its unit."""
    return cost.name if cost.unit == cost.name else f"{cost.name} ({cost.unit})"


def costs_csv(blocks: Sequence[BlockCosts]) -> str:
    """Return a line for each cost of each row."""
    return csv_text(line for block in blocks for line in _lines(block))


def _lines(block: BlockCosts) -> Iterator[dict[str, object]]:
    for row in block.rows:
        for cost in row.run.costs:
            distribution = cost.found
            yield {
                "block": block.title,
                "method": row.label,
                "measure": cost.name,
                "unit": cost.unit,
                "each": cost.each,
                "p50": format(distribution.p50, DIGITS),
                "p95": format(distribution.p95, DIGITS),
                "p99": format(distribution.p99, DIGITS),
                "n": distribution.n,
                "total": format(distribution.total, DIGITS),
            }
