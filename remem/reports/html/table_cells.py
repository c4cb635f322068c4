"""The cells of a table's page: texts, explanations of numbers, and links to their questions."""

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
    """A cell to draw: its CSS class, its texts and, if it has a number, the number's explanation.

    `links` are the addresses of the questions behind the number, in the reports of the cell's runs.
    """

    kind: str
    texts: tuple[str, ...]
    value: float | None = None
    tip: str = ""
    links: tuple[str, ...] = ()


def page_rows(table: Table, block: Block) -> Iterator[tuple[Row, Iterator[PageCell]]]:
    """Yield the rows of a block; each row's cells are made only when they are drawn."""
    firsts = _first_titles(block)
    for row in block.rows:
        columns = zip(block.columns, firsts, row.cells, strict=True)
        yield row, (_page_cell(table, row, *column) for column in columns)


def _page_cell(
    table: Table, row: Row, column: ScoreColumn, first: str, cell: Cell | None
) -> PageCell:
    if cell is None or cell.ours is None:
        return PageCell(_kind(cell), cell_texts(table, cell))
    return PageCell(
        _kind(cell),
        cell_texts(table, cell),
        cell.ours.mean,
        " ".join(_explained(column, row, first, cell, cell.ours)),
        tuple(questions_address(run, column) for run in cell.runs or (row.run,) if run),
    )


def _first_titles(block: Block) -> list[str]:
    """Return for each column the title of the first row with a number; "" if there is none."""
    titles = [""] * len(block.columns)
    for row in reversed(block.rows):
        title = row.title
        for at, cell in enumerate(row.cells):
            if cell is not None and cell.ours is not None:
                titles[at] = title
    return titles


def questions_address(run: str, column: ScoreColumn) -> str:
    """Return the address at which the report of a run shows the questions behind a column.

    Args:
        run: The folder of the run, relative to the results.
        column: The column; in a table of the paper, its score has the paper's name.
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
    """Return the heading of a column with its long form, such as "BA (before after)"."""
    words = short_for(column)
    return f"{column.title} ({words})" if words else column.title


def short_for(column: ScoreColumn) -> str:
    """Return the category that a column's heading abbreviates; "" if it abbreviates none."""
    words = (column.category or "").replace("_", " ")
    is_plain = words.isdigit() or column.group or words in column.heading
    return "" if is_plain else words


def _kind(cell: Cell | None) -> str:
    """Return the CSS class of a cell."""
    kind = "" if cell is None else NOT_RUN if cell.ours is None else cell.verdict
    return kind.replace(" ", "-")


def _explained(column: ScoreColumn, row: Row, first: str, cell: Cell, ours: Value) -> Iterator[str]:
    """Yield sentences on what a number measures, on its difference, and on the paper's number."""
    form = f",.{cell.decimals}f"
    interval = f", 95% interval {ours.interval(form)}" if ours.varies else ""
    groups = f" in {ours.clusters} clusters" if ours.clusters and ours.clusters > 1 else ""
    yield (
        f"{title_in_words(column)} of {row.title}: {ours.mean:{form}}{interval}, "
        f"{ours.n:,} question{'s' if ours.n != 1 else ''}{groups}."
    )
    if ours.p_value is not None:
        tested = f"paired bootstrap, p = {ours.p_value:.3f} after Holm's correction"
        if ours.mark:
            yield f"The star: it differs from {first} by more than chance ({tested})."
        else:
            yield f"No star: its difference from {first} can be chance ({tested})."
    if cell.paper:
        yield f"The paper prints {cell.paper}: {cell.verdict}{cell.reason and f', {cell.reason}'}."
