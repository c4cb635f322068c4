"""Terminal table of what runs took: percentiles of seconds, tokens and dollars."""

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.tables.costs import BlockCosts
from remem.tables.wide_table import WideTable


def show_costs(block: BlockCosts) -> WideTable:
    """Return a table with a row for each run and a column for each cost that one of them has."""
    title = f"Time and cost: {block.title}" if block.title else "Time and cost"
    table = RichTable(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Method")
    for heading in block.headings:
        table.add_column(heading, justify="right")
    for row in block.rows:
        table.add_row(Text(row.label), *block.texts(row))
    return WideTable(table)
