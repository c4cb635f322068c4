"""Check averages against their parts, weighted by questions as in the released code."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from remem.paper.check import Check, Tables, agree
from remem.paper.layout import Column, PaperCell, PaperTable


def column_averages(tables: Tables) -> Iterator[Check]:
    """Check each overall score of a row against its categories."""
    for table in tables.values():
        for column in table.columns:
            for row in table.rows:
                whole = table.cells.get((row, column.heading))
                parts = [_part(tables, table, row, column, key) for key in column.group.average_of]
                if whole and parts:
                    yield average("average of columns", whole, [part for part in parts if part])


def row_averages(tables: Tables) -> Iterator[Check]:
    """Check each row that is the average of other rows, or the sum in columns of counts."""
    for table in tables.values():
        for row, of in table.header.averages.items():
            for column in table.columns:
                whole = table.cells[row, column.heading]
                parts = [table.cells[part, column.heading] for part in of]
                if column.metric == table.header.n_from:
                    total = sum((part.number.value for part in parts), Decimal(0))
                    yield agree("sum of rows", whole, total, Decimal(0))
                else:
                    yield average("average of rows", whole, parts)


def average(kind: str, whole: PaperCell, parts: Sequence[PaperCell]) -> Check:
    """Check a number against the mean of its parts, weighted by their questions."""
    weights = [Decimal(part.n or 0) for part in parts]
    values = [part.number.value for part in parts]
    # The parts and the whole may each be off by their rounding.
    tolerance = whole.number.slack + max(part.number.slack for part in parts)
    weighted = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    check = agree(kind, whole, Decimal(weighted), tolerance)
    plain = sum(values, Decimal(0)) / len(values)
    if check.holds or abs(whole.number.value - plain) > tolerance:
        return check
    return agree(kind, whole, Decimal(weighted), tolerance, "the plain mean of the parts fits")


def group_counts(tables: Tables) -> Iterator[Check]:
    """Check that the numbers of questions of the categories add up to the total."""
    for table in tables.values():
        for group in table.header.groups:
            parts = [_group_n(tables, table, key) for key in group.average_of]
            if parts and group.n is not None:
                total = sum(parts)
                yield Check(
                    "questions of columns",
                    f"{table.name} | {group.title}",
                    f"{group.n:,}",
                    f"{total:,}",
                    "0",
                    total == group.n,
                )


def _part(
    tables: Tables, table: PaperTable, row: str, column: Column, key: str
) -> PaperCell | None:
    other, key = _resolve(tables, table, key)
    return next(
        (
            other.cells.get((row, candidate.heading))
            for candidate in other.columns
            if candidate.group.key == key and candidate.metric == column.metric
        ),
        None,
    )


def _group_n(tables: Tables, table: PaperTable, key: str) -> int:
    other, key = _resolve(tables, table, key)
    return next(group.n or 0 for group in other.header.groups if group.key == key)


def _resolve(tables: Tables, table: PaperTable, key: str) -> tuple[PaperTable, str]:
    """Return the table of a group: its own, or that in "table | group"."""
    name, _, group = key.rpartition("|")
    return (tables[name.strip()] if name else table), group.strip()
