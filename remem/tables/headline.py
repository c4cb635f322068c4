"""Say which row of a block scores highest, and whether that is certain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.metrics.columns import ScoreColumn
from remem.tables.table import Block, Row, Value

MOST_NAMES = 3
"""The number of rows that a sentence names before it only counts the others."""
CEILING = "Oracle"


@dataclass(frozen=True, slots=True)
class Headline:
    """Which row scores highest in a column, and how certain its lead is, as sentences."""

    best: str
    certainty: str


def headlines(block: Block) -> Iterator[Headline]:
    """Yield a headline for the first column, and one for F1 over all questions.

    A column with fewer than two numbers in percent has no headline. Upper bounds, such as an
    oracle, are ignored. If the first row is best, the tests against the other rows decide whether
    its lead is certain. If another row is best, there are no such tests, and its lead is uncertain
    if its interval overlaps the interval of another row.
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
    others = [(row, number) for row, number in rows if row is not best]
    is_certain, certainty = _certainty(block, at, best, score, others)
    if bounds:
        certainty += f" Upper bounds do not compete: {_named(bounds)}."
    heading = block.columns[at].title
    interval = f" {score.interval('.1f')}" if score.varies else ""
    number = f"{score.mean:.1f}{interval}"
    if is_certain:
        return Headline(f"{best.title} scores highest in {heading}: {number}.", certainty)
    return Headline(
        f"No certain winner in {heading}: {best.title} scores highest, {number},", certainty
    )


def _certainty(
    block: Block, at: int, best: Row, score: Value, others: Sequence[tuple[Row, Value]]
) -> tuple[bool, str]:
    """Return whether the best row leads by more than chance, and a sentence about it."""
    if best is block.rows[0] and all(number.p_value is not None for _, number in others):
        family = _comparisons(block, at)
        close = [row for row, number in others if not number.mark]
        if close:
            return False, f"but its lead over {_named(close)} can be chance{family}."
        return True, f"Its lead over every other row is more than chance{family}."
    close = [row for row, number in others if _overlap(score, number)]
    if close:
        return False, f"but its interval overlaps with that of {_named(close)}."
    return True, "No other interval overlaps with its interval."


def _comparisons(block: Block, at: int) -> str:
    """Return the number of comparisons for which a column's tests are corrected, as text."""
    score = block.columns[at].score
    count = sum(
        cell is not None and cell.ours is not None and cell.ours.p_value is not None
        for row in block.rows
        for column, cell in zip(block.columns, row.cells, strict=True)
        if column.score == score
    )
    return f" ({count} comparisons, corrected)" if count > 1 else ""


def _overlap(score: Value, other: Value) -> bool:
    """Return whether the interval of the other score reaches that of the best score."""
    low = score.mean if score.low is None else score.low
    return (other.mean if other.high is None else other.high) >= low


def _named(rows: Sequence[Row]) -> str:
    shown = rows if len(rows) <= MOST_NAMES + 1 else rows[:MOST_NAMES]
    names = [f'"{row.title}"' if "," in row.title else row.title for row in shown]
    if more := len(rows) - len(shown):
        names.append(f"{more} more rows")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
