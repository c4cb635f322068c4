"""The result of a consistency check, and functions that find and name cells of the paper."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from remem.paper.layout import PaperCell, Tables

ROUNDED_MEAN = Decimal("0.005")
"""The maximum shift of a percentage by the released code, which averages means of four decimals."""


@dataclass(frozen=True, slots=True)
class Check:
    """A printed number, the value that follows from other numbers, and whether the two agree.

    `tolerance` is the largest difference that rounding alone can cause.
    """

    kind: str
    place: str
    printed: str
    follows: str
    tolerance: str
    holds: bool
    note: str = ""


def agree(
    kind: str, cell: PaperCell, follows: Decimal, tolerance: Decimal, note: str = ""
) -> Check:
    """Check a cell against a value that follows from other cells."""
    return Check(
        kind=kind,
        place=place_of(cell),
        printed=cell.number.printed,
        follows=format_decimal(follows),
        tolerance=format_decimal(tolerance),
        holds=abs(cell.number.value - follows) <= tolerance,
        note=note,
    )


def place_of(cell: PaperCell) -> str:
    """Name the table, the row and the column of a cell."""
    return f"{cell.table} | {cell.row} | {cell.column}"


def cell_at(tables: Tables, place: str) -> PaperCell:
    """Return the cell at "table | row | column".

    Raises:
        ValueError: There is no such cell.
    """
    table, row, column = (*(part.strip() for part in place.split("|")), "", "")[:3]
    if table not in tables or (row, column) not in tables[table].cells:
        raise ValueError(f"no number at {place!r}; expected 'table | row | column' of a table")
    return tables[table].cells[row, column]


def all_cells(tables: Tables) -> Iterable[PaperCell]:
    """Yield every cell, table by table."""
    return (cell for table in tables.values() for cell in table.cells.values())


def format_decimal(value: Decimal) -> str:
    """Write a computed value with at most three decimals."""
    return f"{value:,.3f}".rstrip("0").rstrip(".")
