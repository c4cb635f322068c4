"""Say which row of a block scores highest, and whether that is certain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.metrics.columns import ScoreColumn
from remem.tables.table import Block, Row, Value

MOST_NAMES = 3
"""The most rows that a sentence names if it counts the others."""
CEILING = "Oracle"


@dataclass(frozen=True, slots=True)
class Headline:
    """Which row scores highest in a column, and what is known about its lead."""

    best: str
    certainty: str


def headlines(block: Block) -> Iterator[Headline]:
    """Yield a headline for the first column, and one for F1 over all questions.

    A column with fewer than two numbers in percent has none. Upper bounds, such as an oracle, do
    not compete. Differences from the first row were tested. Those from other rows were not, so
    overlapping intervals leave their order open.
    """
    f1 = [at for at, column in enumerate(block.columns) if _is_f1(column)]
    for at in dict.fromkeys((0, *f1[:1])):
        numbers = list(_numbers(block, at))
        rows = [(row, number) for row, number in numbers if not _is_bound(row)]
        if len(rows) > 1:
            bounds = [row for row, _ in numbers if _is_bound(row)]
            yield _headline(block, at, rows, bounds)


def _is_f1(column: ScoreColumn) -> bool:
    return column.score == "f1" and column.category is None


def _is_bound(row: Row) -> bool:
    return bool(row.note) or row.label.startswith(CEILING)


def _numbers(block: Block, at: int) -> Iterator[tuple[Row, Value]]:
    for row in block.rows:
        cell = row.cells[at]
        if cell is not None and cell.ours is not None and cell.ours.percent:
            yield row, cell.ours


def _headline(
    block: Block, at: int, rows: Sequence[tuple[Row, Value]], bounds: Sequence[Row]
) -> Headline:
    best, score = max(rows, key=lambda row: row[1].mean)
    interval = f" {score.interval('.1f')}" if score.varies else ""
    others = [(row, number) for row, number in rows if row is not best]
    certainty = _certainty(score, others, is_first=best is block.rows[0])
    left_out = f" Upper bounds do not compete: {_named(bounds)}." if bounds else ""
    return Headline(
        f"{best.title} scores highest in {block.columns[at].title}: {score.mean:.1f}{interval}.",
        certainty + left_out,
    )


def _certainty(score: Value, others: Sequence[tuple[Row, Value]], *, is_first: bool) -> str:
    if is_first and all(number.p_value is not None for _, number in others):
        close = [row for row, number in others if not number.mark]
        if not close:
            return "It differs from every other row by more than chance."
        return f"Its lead over {_named(close)} can be chance."
    close = [row for row, number in others if _overlap(score, number)]
    if not close:
        return "No other interval overlaps with its interval."
    return f"Its lead over {_named(close)} is not certain: their intervals overlap."


def _overlap(score: Value, other: Value) -> bool:
    """Return whether two numbers may have the other order; without intervals, if they are equal."""
    low = score.mean if score.low is None else score.low
    return (other.mean if other.high is None else other.high) >= low


def _named(rows: Sequence[Row]) -> str:
    shown = rows if len(rows) <= MOST_NAMES + 1 else rows[:MOST_NAMES]
    names = [f'"{row.title}"' if "," in row.title else row.title for row in shown]
    if more := len(rows) - len(shown):
        names.append(f"{more} more rows")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
