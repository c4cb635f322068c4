"""Write the cells of a table as text: our number, what the paper prints, and the verdict."""

from collections.abc import Iterator

from remem.tables.table import ABSENT, NOT_RUN, Cell, Table, Value


def texts(table: Table, cell: Cell | None) -> tuple[str, ...]:
    """Return the texts of a cell; the first is our number."""
    if cell is None:
        return (ABSENT,)
    if cell.ours is None:
        ours: tuple[str, ...] = (cell.instead or NOT_RUN,)
    elif table.number is None:
        form = f".{cell.decimals}f"
        ours = (f"{cell.ours.mean:{form}}{cell.ours.mark}", cell.ours.interval(form))
    else:
        ours = (_pooled(cell, cell.ours),)
    return (*ours, *_expected(cell))


def short(cell: Cell) -> str:
    """Return "answered/asked" if our number has fewer questions than the paper's number."""
    ours = cell.ours
    if ours is None or cell.n is None or not _of_questions(ours) or ours.n >= cell.n:
        return ""
    return f"{ours.n}/{cell.n}"


def _pooled(cell: Cell, ours: Value) -> str:
    """Return a number as text, with its interval, and with its count if the row has none."""
    form = f",.{cell.decimals}f"
    shown, count = f"{ours.mean:{form}}{ours.mark}", short(cell)
    if ours.varies or (ours.low is None and _of_questions(ours) and not count):
        shown += f" {ours.interval(form)}"
    return f"{shown} ({count})" if count else shown


def _of_questions(ours: Value) -> bool:
    return ours.clusters is not None or ours.percent


def _expected(cell: Cell) -> Iterator[str]:
    if cell.as_text is not None:
        yield f"as the text: {cell.as_text:,.{cell.decimals}f}"
    if cell.paper:
        yield f"paper {cell.paper}"
    if cell.delta is not None:
        reason = f" {cell.reason}" if cell.verdict == "incomplete" else ""
        yield f"{cell.delta:+,.{cell.decimals}f} {cell.verdict}{reason}"
