"""Tables are readable at any width: no name and no number is cut, and no line is too long."""

from io import StringIO

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from remem.metrics.columns import ScoreColumn
from remem.tables.render import WideTable, empty_table, for_terminal
from remem.tables.table import Block, Cell, Row, Table, Value

LABELS = ("BM25, dated, in context", "Oracle Message (told the evidence)", "hashing")
HEADINGS = ("recall@10", "F1 (all)", "F1, 1", "2", "3", "tokens (est.)", "refusal P", "refusal R")
CATEGORIES = (None, None, "1", "2", "3", None, None, None)
COLUMNS = tuple(
    ScoreColumn(heading, "f1" if category else heading, category)
    for heading, category in zip(HEADINGS, CATEGORIES, strict=True)
)


def lines(shown: RenderableType, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width)
    console.print(shown)
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def own_row(number: int, label: str) -> Row:
    """Return a row with the numbers 1000.5, 1001.5 ..., if it is the first."""
    means = (1000 * number + at + 0.5 for at in range(len(COLUMNS)))
    cells = (Cell(ours=Value(mean, None, None, 9, None, percent=True)) for mean in means)
    return Row(label, tuple(cells), answered=9, total=9)


def paper_row(label: str) -> Row:
    cell = Cell(ours=None, paper="42.4 -1.6 +1.7")
    return Row(label, (cell,) * 2 * len(HEADINGS))


OWN = Table(
    "t",
    "T",
    (Block("Chats", COLUMNS, tuple(own_row(at, label) for at, label in enumerate(LABELS, 1))),),
)
GROUPED = tuple(
    ScoreColumn(heading, heading, group=group)
    for group in ("LoCoMo (1,986)", "REALTALK (728)")
    for heading in HEADINGS
)
OF_PAPER = Table(
    "t",
    "T",
    (
        Block("", GROUPED, tuple(map(paper_row, LABELS[:2]))),
        Block("LLM-free rows", GROUPED, tuple(map(paper_row, LABELS[2:]))),
    ),
    number=3,
)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_every_name_and_number_of_our_tables_is_whole(width: int) -> None:
    shown = lines(for_terminal(OWN, Console(width=width)), width)
    assert max(map(len, shown)) <= width
    for number, label in enumerate(LABELS, 1):
        of_row = [line.removeprefix(label).split() for line in shown if line.startswith(label)]
        numbers = [number_text for part in of_row for number_text in part]
        assert numbers == [f"{number}00{at}.5" for at in range(len(COLUMNS))]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_every_name_and_cell_of_a_table_of_the_paper_is_whole(width: int) -> None:
    shown = lines(for_terminal(OF_PAPER, Console(width=width)), width)
    assert max(map(len, shown)) <= width
    text = "\n".join(shown)
    parts = text.count("Method")
    assert all(text.count(label) == parts for label in (*LABELS, "LLM-free rows"))
    cells = len(LABELS) * len(GROUPED)
    assert (text.count("paper 42.4 -1.6 +1.7"), text.count("not run")) == (cells, cells)
    assert (text.count("LoCoMo (1,986)"), text.count("REALTALK (728)")) == (8, 8)


def test_a_column_in_another_part_than_its_group_names_the_group() -> None:
    whole, parts = ("\n".join(lines(for_terminal(OWN, Console(width=w)), w)) for w in (200, 60))
    for heading, shown in (("F1, 2", 0), ("F1, 3", 0), ("F1, 1", 1)):
        assert (whole.count(heading), parts.count(heading)) == (shown, 1)


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


def test_a_very_long_name_is_wrapped_between_its_words() -> None:
    shown = lines(wide_table(1, "a name that is longer than one half of the line"), 40)
    assert shown[3:] == ["a name that is longer than one  1,234.5", "half of the line"]
