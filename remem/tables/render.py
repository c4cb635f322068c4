"""Render a table as Markdown, write its files, and fit wide tables into a terminal.

The same scores give the same bytes: files do not depend on the time or the machine.
"""

import html
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement, measure_renderables
from rich.style import StyleType
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text, TextType

from remem.files.disk import write_whole
from remem.tables.file_formats import as_csv, as_json, as_latex
from remem.tables.table import Block, Row, Table, cell_texts


def write_files(table: Table, folder: Path) -> tuple[Path, ...]:
    """Write `<name>.md`, `.tex` and `.csv`; for a table of the paper, also write `.json`."""
    contents = {"md": as_markdown(table), "tex": as_latex(table), "csv": as_csv(table)}
    if not table.counts_rows:
        contents["json"] = as_json(table)
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{table.name}.{suffix}" for suffix in contents)
    for path, text in zip(paths, contents.values(), strict=True):
        write_whole(path, text.encode())
    return paths


def as_markdown(table: Table) -> str:
    """Render a table as Markdown: its blocks, its notes, and the commands of its cells."""
    parts = [f"# {table.title}\n"]
    for block in table.blocks:
        if block.rows:
            rows = [_markdown_row(table, row) for row in block.rows]
            heading = [f"## {block.title}"] if block.title else []
            body = markdown_table(headings(table, block), rows)
            below = listed(table.notes_below(block))
            parts.append("\n\n".join((*heading, body, *below)) + "\n")
    parts += (f"{notes}\n" for notes in listed(table.all_notes))
    if not table.counts_rows:
        parts.append(fenced(commands(table)))
    return "\n".join(parts)


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Render rows of text as a Markdown table."""
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(columns))
    return str(frame.to_markdown(index=False, disable_numparse=True))


def in_markdown(text: str) -> str:
    r"""Escape a text for a Markdown cell: no line ends, bars or HTML.

    >>> in_markdown("a |\n<b>")
    'a \\| &lt;b&gt;'
    """
    return html.escape(" ".join(text.split()), quote=False).replace("|", r"\|")


def listed(notes: Sequence[str]) -> tuple[str, ...]:
    """Return a tuple with one text, the Markdown list of the notes; empty if there are no notes."""
    return ("\n".join(f"- {note}" for note in notes),) if notes else ()


def fenced(lines: Iterable[str]) -> str:
    """Return the section at the end of a Markdown file that lists the commands."""
    return "## Commands\n\n```sh\n" + "\n".join(lines) + "\n```\n"


def commands(table: Table) -> Iterator[str]:
    """Yield the label of each row as a comment, then each command that makes a cell of the row."""
    for row in table.rows:
        yield f"# {row.label}"
        commands_of_cells = (
            cell.command for cell in row.cells if cell is not None and cell.command
        )
        yield from dict.fromkeys(
            part for command in commands_of_cells for part in command.split("; ")
        )


def headings(table: Table, block: Block) -> tuple[str, ...]:
    """Return the headings of a block; the first heading is above the labels."""
    count = ("n",) if table.counts_rows else ()
    return ("Method", *count, *(column.title for column in block.columns))


def empty_table() -> RichTable:
    """Return an empty table for the terminal."""
    return RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)


def _markdown_row(table: Table, row: Row) -> tuple[str, ...]:
    """Return the texts of a row: its label, its count if rows have one, and its cells."""
    between = " " if table.number is None else "<br>"
    cells = (between.join(map(in_markdown, cell_texts(table, cell))) for cell in row.cells)
    return (in_markdown(row.title), *((row.count,) if table.counts_rows else ()), *cells)


NO_LIMIT = 10_000
"""A width that no table reaches, used to measure the natural width of a table."""


@dataclass(frozen=True, slots=True)
class WideTable:
    """A table whose names and numbers are never cut in a terminal of any usual width.

    If it does not fit, it is drawn in parts, and each part repeats the first `labels` columns.
    Labels longer than half of a line may be wrapped between words.
    """

    table: RichTable
    labels: int = 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or else its title, its parts and its caption below each other."""
        parts = tuple(self._parts(console, options.max_width))
        if len(parts) == 1:
            parts[0].title, parts[0].caption = self.table.title, self.table.caption
            yield parts[0]
            return
        yield from _lines(self.table.title, self.table.title_style or "table.title", console)
        for at, part in enumerate(parts):
            if at:
                yield Text("")
            yield part
        yield from _lines(self.table.caption, self.table.caption_style or "table.caption", console)

    def _parts(self, console: Console, width: int) -> Iterator[RichTable]:
        """Yield the parts; each has as many columns as fit next to the wrapped labels."""
        labels, others = self.table.columns[: self.labels], self.table.columns[self.labels :]
        wrapped = [_wrapped(label, width // 2, console) for label in labels]
        taken = natural_width(self._part(wrapped), console)
        room = width - taken
        widths = [natural_width(self._part([*wrapped, other]), console) - taken for other in others]
        # Of a column without room, such as one with a long heading, the texts are folded.
        excess = [max(needed - max(room, width // 2), 0) for needed in widths]
        fixed = [
            _foldable(other, _content(other, console).maximum - over)
            for other, over in zip(others, excess, strict=True)
        ]
        # Labels without a width are wrapped only as far as the other columns of the part demand.
        foldable = [_foldable(label) for label in labels]
        for columns in _slices(widths, room):
            yield self._part([*foldable, *fixed[columns]])

    def _part(self, columns: Sequence[Column]) -> RichTable:
        part = copy(self.table)
        part.columns, part.title, part.caption = list(columns), None, None
        return part


def natural_width(shown: RenderableType, console: Console) -> int:
    """Return the width at which nothing needs to be wrapped."""
    return Measurement.get(console, console.options.update(max_width=NO_LIMIT), shown).maximum


def _slices(widths: Sequence[int], room: int) -> Iterator[slice]:
    """Yield the slice of columns of each part: as many as fit, but at least one."""
    start = 0
    for at in range(1, len(widths)):
        if sum(widths[start : at + 1]) > room:
            yield slice(start, at)
            start = at
    yield slice(start, len(widths))


def _content(column: Column, console: Console) -> Measurement:
    """Return the width of the longest word and of the longest line of a column."""
    unlimited = console.options.update(max_width=NO_LIMIT)
    measured = measure_renderables(console, unlimited, [column.header, *column.cells])
    return measured.clamp(max_width=column.max_width)


def _wrapped(label: Column, width: int, console: Console) -> Column:
    """Return a column that is at most `width` wide, or as wide as its longest word."""
    content = _content(label, console)
    return replace(label, width=min(content.maximum, max(content.minimum, width)))


def _foldable(column: Column, width: int | None = None) -> Column:
    """Return a column whose texts are wrapped, not cut, if they do not fit."""
    return replace(column, width=width, no_wrap=False, overflow="fold")


def _lines(text: TextType | None, style: StyleType, console: Console) -> Iterator[Text]:
    """Yield a title or a caption, which may be wider than a part of the table."""
    if isinstance(text, str):
        yield console.render_str(text, style=style, highlight=False)
    elif text is not None:
        yield text
