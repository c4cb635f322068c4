"""Draw a table for a terminal, with few lines above and below the rows.

Names and numbers are never cut; long names are wrapped. A column that does not fit is left out, and
its name is listed below.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.text import Text

from remem.metrics.columns import ScoreColumn
from remem.metrics.paired import LEVEL
from remem.tables.table import (
    ABSENT,
    NOT_RUN,
    Block,
    Cell,
    Row,
    Table,
    answered_of_asked,
)

MOST_OTHER_LINES = 15
"""The maximum number of lines of a table that are not rows, if all notes fit into them."""
GAP = "  "
PAGE = "report.html"
SIGNS = {"agrees": "=", "near": "~", "differs": "≠"}
"""Between our number and the paper's; another verdict is a question mark."""
LEGEND = {
    "=": "agrees with the paper's number, which comes after it",
    "~": "is near it",
    "≠": "differs from it",
    "?": "cannot be compared with it",
    "|": "not run here",
}
STAR = f"* differs from the first row of its block: paired bootstrap, p < {LEVEL} after Holm"


def as_text(table: Table) -> str:
    """Render a table as plain text, in lines of at most 100 characters."""
    out = StringIO()
    console = Console(file=out, width=100, color_system=None)
    console.print(for_terminal(table, console))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip()


def for_terminal(table: Table, console: Console, ending: Sequence[str] = ()) -> RenderableType:
    """Render a table for the width of a console.

    Args:
        table: The table.
        console: The console.
        ending: The last lines, such as where the table is written.
    """
    width = console.width
    grids = _grids(table, width)
    lines = [Text(line, style="bold") for line in wrap(table.title, width)]
    lines += (line for grid in grids for line in grid.lines(width))
    below = [line for text in _below(table, grids) for line in wrap(text, width)]
    other = len(lines) - sum(grid.rows_high for grid in grids) + len(below)
    below += _notes(table, width, MOST_OTHER_LINES - other - _height(ending, width) - 1)
    return Group(*lines, *map(Text, (*below, *ending)))


def index_of(tables: Sequence[tuple[Table, Sequence[Path]]], width: int) -> Group:
    """Return a list of the paper's tables, with the counts of our numbers and of their verdicts."""
    in_order = sorted(tables, key=lambda written: written[0].number or 0)
    lines = [_IndexLine.of(table, is_written=bool(files)) for table, files in in_order]
    name, run = (max(len(getattr(line, part)) for line in lines) for part in ("name", "run"))
    shown = []
    for line in lines:
        verdicts = f"  {line.verdicts}" if line.verdicts else ""
        shown += wrap(
            f"{line.number:>2}  {line.name:<{name}}  {line.run:>{run}}{verdicts}",
            width,
            subsequent_indent=" " * 4,
        )
    folder = next((path.parent.parent for _, files in tables for path in files), None)
    pages = [f"Pages: {folder}/<name>/{PAGE}"] if folder else []
    return Group(
        Text("The tables of the paper, and how many of their numbers are run here", style="bold"),
        *map(Text, (*shown, *pages, "Next: remem table <number>: one table")),
    )


@dataclass(frozen=True, slots=True)
class _IndexLine:
    number: int | None
    name: str
    run: str
    verdicts: str

    @staticmethod
    def of(table: Table, *, is_written: bool) -> "_IndexLine":
        printed = [cell for cell in table.cells if cell.paper]
        unprinted = [cell for cell in table.cells if not cell.paper]
        ours, free = (
            sum(cell.ours is not None for cell in cells) for cells in (printed, unprinted)
        )
        words = Counter(cell.verdict for cell in printed if cell.ours is not None)
        counted = [f"{free} of {len(unprinted)} without a model"] if unprinted else []
        counted += [f"{count} {word}" for word, count in words.items()]
        counted += [] if is_written else ["not written: questions failed"]
        return _IndexLine(table.number, table.name, f"{ours} of {len(printed)}", ", ".join(counted))


@dataclass(frozen=True, slots=True)
class _DrawnColumn:
    column: ScoreColumn
    heading: str
    texts: tuple[str, ...]

    @property
    def width(self) -> int:
        return max(map(cell_len, (self.heading, *self.texts)))

    @property
    def room(self) -> int:
        return len(GAP) + self.width

    def cell(self, text: str) -> str:
        return GAP + _right(text, self.width)


@dataclass(frozen=True, slots=True)
class _Section:
    """The rows of a block with their wrapped names, below the title of the block."""

    title: str
    rows: tuple[Row, ...]
    labels: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(table: Table, block: Block, width: int) -> "_Section":
        rows = tuple(row for row in block.rows if not _is_only_named(table, row))
        counts = {row.count for row in rows} if table.counts_rows else set()
        title = f"{block.title} (n = {counts.pop()})" if len(counts) == 1 else block.title
        names = (f"{row.title}, n = {row.count}" if counts else row.title for row in rows)
        return _Section(title, rows, tuple(tuple(wrap(name, width) or [""]) for name in names))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Blocks with the same columns, and the columns that fit next to the names."""

    sections: tuple[_Section, ...]
    label_width: int
    columns: tuple[_DrawnColumn, ...]
    left_out: tuple[_DrawnColumn, ...] = ()

    @staticmethod
    def fit(table: Table, blocks: Sequence[Block], width: int) -> "_Grid":
        """Return the blocks with all columns and intervals, or with as many as fit the width."""
        shown = [row for block in blocks for row in block.rows if not _is_only_named(table, row)]
        headline = _columns(table, blocks[0], shown, intervals=1)[0]
        drawn = (
            _Section.of(table, block, max(width // 2, width - headline.room)) for block in blocks
        )
        sections = tuple(section for section in drawn if section.rows)
        rows = [row for section in sections for row in section.rows]
        labels = [line for section in sections for label in section.labels for line in label]
        label_width = max(map(cell_len, ("Method", *labels)))
        room = width - label_width
        everything = _columns(table, blocks[0], rows, intervals=len(blocks[0].columns))
        if sum(column.room for column in everything) <= room:
            return _Grid(sections, label_width, tuple(everything))
        columns = _columns(table, blocks[0], rows, intervals=1)
        if columns[0].room > room:
            columns = _columns(table, blocks[0], rows, intervals=0)
        fitting: list[_DrawnColumn] = []
        left_out: list[_DrawnColumn] = []
        for column in columns:
            (fitting if column.room <= room else left_out).append(column)
            room -= column.room if column.room <= room else 0
        return _Grid(sections, label_width, tuple(fitting), tuple(left_out))

    @property
    def rows_high(self) -> int:
        """The number of terminal lines that all rows take."""
        return sum(len(label) for section in self.sections for label in section.labels)

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the titles of the blocks, the headings of the columns, and the rows."""
        at = 0
        for number, section in enumerate(self.sections):
            yield from (Text(line, style="bold") for line in wrap(section.title, width))
            if number == 0:
                yield from (Text(line, style="dim") for line in self._headings())
            for label in section.labels:
                cells = (column.cell(column.texts[at]) for column in self.columns)
                yield Text(_left(label[0], self.label_width) + "".join(cells))
                yield from map(Text, label[1:])
                at += 1

    def _headings(self) -> Iterator[str]:
        if any(column.column.group for column in self.columns):
            groups = ""
            for group, columns in groupby(self.columns, key=lambda column: column.column.group):
                groups += GAP + _right(group, sum(column.room for column in columns) - len(GAP))
            yield " " * self.label_width + groups
        cells = (column.cell(column.heading) for column in self.columns)
        yield _left("Method", self.label_width) + "".join(cells)


def _grids(table: Table, width: int) -> list[_Grid]:
    """Return the blocks of a table, drawn together where they have the same columns."""
    blocks = [block for block in table.blocks if block.rows]
    grids = (
        _Grid.fit(table, list(same), width)
        for _, same in groupby(blocks, key=lambda block: block.columns)
    )
    return [grid for grid in grids if grid.sections]


def _is_only_named(table: Table, row: Row) -> bool:
    """Return whether a row has no number at all; such a row is only named below the table."""
    cells = [cell for cell in row.cells if cell is not None]
    return table.number is not None and not any(cell.ours or cell.paper for cell in cells)


def _columns(
    table: Table, block: Block, rows: Sequence[Row], *, intervals: int
) -> list[_DrawnColumn]:
    """Return the columns of a block, of which the first ones have intervals."""
    columns = []
    is_run = any(cell.ours is not None for cell in table.cells)
    for at, column in enumerate(block.columns):
        texts = tuple(_cell(table, row.cells[at], at < intervals, is_run) for row in rows)
        columns.append(_DrawnColumn(column, column.heading, texts))
    return _widened(columns)


def _widened(columns: Sequence[_DrawnColumn]) -> list[_DrawnColumn]:
    """Widen the first column of a group if the group's heading needs more room."""
    widened: list[_DrawnColumn] = []
    for group, of_group in groupby(columns, key=lambda column: column.column.group):
        first, *others = of_group
        width = cell_len(group) - sum(column.room for column in others)
        widened += [
            _DrawnColumn(first.column, _right(first.heading, width), first.texts),
            *others,
        ]
    return widened


def _cell(table: Table, cell: Cell | None, interval: bool, is_run: bool) -> str:
    """Return a cell as one line: our number, its interval if wanted, and the paper's number.

    A table without runs shows only the paper's number.
    """
    if cell is None:
        return ABSENT
    if not is_run and cell.paper:
        return cell.paper.split()[0]
    form = f",.{cell.decimals}f" if table.number is not None else f".{cell.decimals}f"
    ours = cell.ours
    if ours is None:
        shown = cell.instead or (ABSENT if cell.paper else NOT_RUN)
    else:
        shown = f"{ours.mean:{form}}{ours.mark}"
        if interval and (ours.varies or (table.number is None and ours.percent)):
            shown += f" {ours.interval(form)}"
        if table.number is not None and (count := answered_of_asked(cell)):
            shown += f" ({count})"
    if not cell.paper:
        return shown
    printed = cell.paper.split()[0]
    return f"{shown} {sign_of(cell)} {printed}"


def sign_of(cell: Cell) -> str:
    """Return the sign of a verdict, which is shown between our number and the paper's."""
    return "|" if cell.ours is None else SIGNS.get(cell.verdict, "?")


def _below(table: Table, grids: Sequence[_Grid]) -> Iterator[str]:
    """Yield the lines below the rows: missing rows and columns, the legend, and leading notes."""
    rows = [row for row in table.rows if _is_only_named(table, row)]
    if rows:
        yield f"Not run: {'; '.join(row.title for row in rows)}{_most_common_reason(rows)}"
    if left_out := [column for grid in grids for column in grid.left_out]:
        yield f"Left out for width: {_named(left_out)}"
    if signs := _signs(table):
        yield "; ".join(f"{sign} {text}" for sign, text in LEGEND.items() if sign in signs)
    elif table.number is not None:
        yield "Nothing of this table is run here: the numbers are the paper's."
    if any(number.mark for row in table.rows for number in row.numbers):
        yield STAR
    yield from dict.fromkeys((*table.all_leading, *table.all_cautions))


def _signs(table: Table) -> set[str]:
    is_run = any(cell.ours is not None for cell in table.cells)
    return {sign_of(cell) for cell in table.cells if cell.paper and is_run}


def _most_common_reason(rows: Sequence[Row]) -> str:
    reasons = Counter(
        cell.reason for row in rows for cell in row.cells if cell is not None and cell.reason
    )
    return f". {reasons.most_common(1)[0][0]}" if reasons else ""


def _named(columns: Sequence[_DrawnColumn]) -> str:
    """Return the names of columns; columns of a group are listed after the group's name."""
    parts = []
    for group, of_group in groupby(columns, key=lambda column: column.column.group):
        names = ", ".join(dict.fromkeys(column.heading.strip() for column in of_group))
        parts.append(f"{group} {names}".strip())
    return "; ".join(dict.fromkeys(parts))


def _notes(table: Table, width: int, room: int) -> list[str]:
    """Return the lines of the notes that fit, and a line on how many more there are."""
    of_blocks = (note for block in table.blocks for note in table.notes_below(block))
    shown = {*table.all_leading, *table.all_cautions}
    notes = [note for note in dict.fromkeys((*of_blocks, *table.all_notes)) if note not in shown]
    lines: list[str] = []
    for at, note in enumerate(notes):
        wrapped = wrap(note, width)
        if len(lines) + len(wrapped) > room:
            more = len(notes) - at
            return [*lines, f"{more} more note{'s' if more > 1 else ''}: see the page"]
        lines += wrapped
    return lines


def _left(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


def _height(texts: Sequence[str], width: int) -> int:
    return sum(len(wrap(text, width)) for text in texts)
