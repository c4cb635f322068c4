"""A table as the HTML that a notebook shows."""

from html import escape

from remem.files.notebook_html import html_list, html_rows
from remem.tables.cell_text import texts
from remem.tables.table import Block, Row, Table


def as_html(table: Table) -> str:
    """Write the blocks of a table with their notes."""
    blocks = "".join(_block(table, block) for block in table.blocks if block.rows)
    return f"<h4>{escape(table.title)}</h4>{blocks}{html_list(table.all_notes)}"


def _block(table: Table, block: Block) -> str:
    columns = ("Method", *(column.heading for column in block.columns))
    shown = html_rows(columns, (_cells(table, row) for row in block.rows), block.title)
    return f"{html_list(block.facts)}{shown}{html_list(table.notes_below(block))}"


def _cells(table: Table, row: Row) -> list[str]:
    return [row.title, *(" ".join(filter(None, texts(table, cell))) for cell in row.cells)]
