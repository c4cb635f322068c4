"""The cells of a table's page: their texts, what each number means, and the questions behind it."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from remem.metrics.columns import ScoreColumn
from remem.tables.paper.scores import FIELDS
from remem.tables.table import NOT_RUN, Block, Cell, Row, Table, Value, cell_texts

REPORT = "report.html"
REFUSED = {
    "refusal_precision": "every refusal",
    "refusal_recall": "unanswerable",
    "refusal_f1": "refused or unanswerable",
}
"""The questions behind each score of refusals, as the filter of a report calls them."""
RESULTS = "../../"
"""The results folder, seen from the page of a table."""


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell to draw: its CSS class, its texts, and if it has a number, what explains it.

    `links` lead to the reports of its runs, at the questions behind the number.
    """

    kind: str
    texts: tuple[str, ...]
    value: float | None = None
    tip: str = ""
    links: tuple[str, ...] = ()


def page_cells(table: Table, block: Block, row: Row) -> list[PageCell]:
    """Return the cells of a row."""
    return [
        PageCell(_kind(cell), cell_texts(table, cell))
        if cell is None or cell.ours is None
        else PageCell(
            _kind(cell),
            cell_texts(table, cell),
            cell.ours.mean,
            " ".join(_explained(block, row, at, cell, cell.ours)),
            tuple(questions_address(run, column) for run in cell.runs or (row.run,) if run),
        )
        for at, (column, cell) in enumerate(zip(block.columns, row.cells, strict=True))
    ]


def questions_address(run: str, column: ScoreColumn) -> str:
    """Return the address of the questions of a column in the report of a run.

    Args:
        run: The folder of the run, relative to the results.
        column: The column; a table of the paper names its scores as the paper does.
    """
    metric = column.score.rpartition(" ")[2]
    if metric in REFUSED:
        wanted = {"outcome": REFUSED[metric]}
    else:
        wanted = {"score": FIELDS.get(metric, metric)}
    if column.category is not None:
        wanted["category"] = column.category
    return f"{RESULTS}{quote(run)}/{REPORT}#{urlencode(wanted)}"


def title_in_words(column: ScoreColumn) -> str:
    """Return the heading of a column, and what it is short for, such as "BA (before after)"."""
    words = short_for(column)
    return f"{column.title} ({words})" if words else column.title


def short_for(column: ScoreColumn) -> str:
    """Return the category that the heading of a column is short for; "" if it is not short."""
    words = (column.category or "").replace("_", " ")
    is_plain = words.isdigit() or column.group or words in column.heading
    return "" if is_plain else words


def _kind(cell: Cell | None) -> str:
    """Return the CSS class of a cell."""
    kind = "" if cell is None else NOT_RUN if cell.ours is None else cell.verdict
    return kind.replace(" ", "-")


def _explained(block: Block, row: Row, at: int, cell: Cell, ours: Value) -> Iterator[str]:
    """Yield sentences on what a number is of, on its difference, and on the paper's number."""
    form = f",.{cell.decimals}f"
    interval = f", 95% interval {ours.interval(form)}" if ours.varies else ""
    groups = f" in {ours.clusters} clusters" if ours.clusters and ours.clusters > 1 else ""
    yield (
        f"{title_in_words(block.columns[at])} of {row.title}: {ours.mean:{form}}{interval}, "
        f"{ours.n:,} question{'s' if ours.n != 1 else ''}{groups}."
    )
    if ours.p_value is not None:
        first = next(
            other.title
            for other in block.rows
            if (number := other.cells[at]) is not None and number.ours is not None
        )
        tested = f"paired bootstrap, p = {ours.p_value:.3f} after Holm's correction"
        if ours.mark:
            yield f"The star: it differs from {first} by more than chance ({tested})."
        else:
            yield f"No star: its difference from {first} can be chance ({tested})."
    if cell.paper:
        yield f"The paper prints {cell.paper}: {cell.verdict}{cell.reason and f', {cell.reason}'}."
