"""Text tables that are the same on a terminal and on a page, and quote no text of the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table as RichTable
from rich.text import Text

from remem.reports.html.page import render, write_page


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text; the first `names` columns have names, the other columns have numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


def show_text_table(table: TextTable) -> RichTable:
    """Return a table for the terminal."""
    shown = RichTable(title=Text(table.title), title_justify="left")
    for place, heading in enumerate(table.headings):
        if place < table.names:
            shown.add_column(heading, overflow="fold")
        else:
            shown.add_column(heading, justify="right")
    for row in table.rows:
        shown.add_row(*(Text(cell) for cell in row))
    return shown


def write_tables_page(
    target: Path, title: str, tables: Sequence[TextTable], notes: Sequence[str]
) -> None:
    """Write a page with notes above tables."""
    write_page(target, render("tables.html.j2", [], None, title=title, tables=tables, notes=notes))
