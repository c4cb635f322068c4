"""Tables are readable at any width: no name and no number is cut, and no line is too long."""

from io import StringIO

from rich.console import Console, RenderableType
from rich.text import Text

from remem.tables.render import WideTable, empty_table


def lines(shown: RenderableType, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width)
    console.print(shown)
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def wide_table(columns: int, *labels: str) -> WideTable:
    """Return a table of numbers with 7 characters each, and two spaces between columns."""
    table = empty_table()
    table.add_column("Method")
    for at in range(columns):
        table.add_column(f"no. {at}", justify="right")
    for label in labels:
        table.add_row(Text(label), *["1,234.5"] * columns)
    table.title, table.title_justify = "A title longer than a part", "left"
    return WideTable(table)


def test_a_table_that_fits_is_drawn_as_it_is() -> None:
    wide = wide_table(3, "BM25")
    width = len("Method  1,234.5  1,234.5  1,234.5 ")
    assert lines(wide, width) == lines(wide.table, width)
    assert len(lines(wide, width - 1)) > len(lines(wide, width))


def test_parts_repeat_the_names_below_one_title() -> None:
    shown = lines(wide_table(3, "BM25", "hashing"), 28)
    assert [line for line in shown if not line.startswith("─")] == [
        "A title longer than a part",
        "Method     no. 0    no. 1",
        "BM25     1,234.5  1,234.5",
        "hashing  1,234.5  1,234.5",
        "",
        "Method     no. 2",
        "BM25     1,234.5",
        "hashing  1,234.5",
    ]
    shown = lines(wide_table(1, "a name that is longer than one half of the line"), 40)
    assert shown[3:] == ["a name that is longer than one  1,234.5", "half of the line"]
