"""Render a table for the terminal, and as Markdown, LaTeX and CSV files.

The same scores give the same bytes: files do not depend on the time or the machine.
"""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from remem.files.csv_text import csv_text
from remem.files.whole_file import write_whole
from remem.tables.latex import as_comment, as_row_label, in_latex
from remem.tables.table import Block, Cell, Row, Table

if TYPE_CHECKING:
    import pandas as pd


Write = Callable[[Cell], str]

UNBRACKETED = str.maketrans("", "", "[]")

NO_LIMIT = 10_000
"""A width that no table reaches, used to measure the natural width of a table."""


def for_terminal(table: Table, console: Console) -> RenderableType:
    """Render all blocks with their notes, and intervals below the means if the width allows."""
    parts: list[RenderableType] = []
    for block in table.blocks:
        shown = _rich_block(block, _stacked)
        unlimited = console.options.update(max_width=NO_LIMIT)
        if Measurement.get(console, unlimited, shown).maximum > console.width:
            shown = _rich_block(block, _marked)
            parts.append(Text("This terminal is too narrow for intervals; the files have them."))
        parts.extend((shown, *(Text(note) for note in block.all_notes), Text("")))
    return Group(*parts)


def as_text(table: Table, width: int = 100) -> str:
    """Render a table as plain text, in lines of at most `width` characters."""
    out = StringIO()
    console = Console(file=out, width=width, color_system=None)
    console.print(for_terminal(table, console))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip()


def write_files(table: Table, folder: Path) -> tuple[Path, ...]:
    """Write a table as `<name>.md`, `.tex` and `.csv` to a folder, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"md": as_markdown(table), "tex": as_latex(table), "csv": as_csv(table)}
    paths = tuple(folder / f"{table.name}.{suffix}" for suffix in contents)
    for path, text in zip(paths, contents.values(), strict=True):
        write_whole(path, text.encode())
    return paths


def as_markdown(table: Table) -> str:
    """Render a table as Markdown, with a heading and a table for each block."""
    parts = [f"# {table.title}\n"]
    for block in table.blocks:
        body = _frame(block, _in_line).to_markdown(index=False, disable_numparse=True)
        notes = "\n".join(f"- {note}" for note in block.all_notes)
        parts.append(f"## {block.title}\n\n{body}\n\n{notes}\n")
    return "\n".join(parts)


def as_latex(table: Table) -> str:
    """Render a table as LaTeX in the paper's style: intervals are sub- and superscripts."""
    import pandas as pd

    parts = []
    for block in table.blocks:
        frame = _frame(block, _in_latex)
        frame["Method"] = [as_row_label(label) for label in frame["Method"]]
        frame.columns = pd.Index([in_latex(str(name)) for name in frame.columns])
        body = frame.to_latex(index=False, column_format="l" + "r" * (frame.shape[1] - 1))
        notes = "\n".join(map(as_comment, block.all_notes))
        parts.append(f"{as_comment(block.title)}\n{body}{notes}\n")
    return "\n".join(parts)


def as_csv(table: Table) -> str:
    """Render a table as CSV with a line for each cell: block, method, score, mean, interval, n."""
    lines = [
        {
            "block": block.title,
            "method": row.label,
            "note": row.note,
            "llm": row.llm,
            "prompts": row.prompts,
            "judge_prompt": row.judge_prompt,
            "run": row.run,
            "score": column.score,
            "category": column.category or "all",
            "mean": f"{cell.mean:.4f}",
            "low": "" if cell.low is None else f"{cell.low:.4f}",
            "high": "" if cell.high is None else f"{cell.high:.4f}",
            "n": cell.n,
            "clusters": "" if cell.clusters is None else cell.clusters,
            "p_holm": "" if cell.p_value is None else f"{cell.p_value:.4f}",
            "answered": row.answered,
            "total": row.total,
        }
        for block in table.blocks
        for row in block.rows
        for column, cell in zip(block.columns, row.cells, strict=True)
        if cell is not None
    ]
    return csv_text(lines)


def _frame(block: Block, write: Write) -> "pd.DataFrame":
    import pandas as pd

    rows = [
        {
            "Method": row_label(row),
            "n": row_count(row),
            **{
                column.heading: _written(cell, write)
                for column, cell in zip(block.columns, row.cells, strict=True)
            },
        }
        for row in block.rows
    ]
    return pd.DataFrame(rows)


def _rich_block(block: Block, write: Write) -> RichTable:
    counts = {row_count(row) for row in block.rows}
    title = f"{block.title} (n = {counts.pop()})" if len(counts) == 1 else block.title
    rich_table = RichTable(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    rich_table.add_column("Method")
    for column in block.columns:
        rich_table.add_column(column.heading, justify="right", no_wrap=True)
    for row in block.rows:
        label = f"{row_label(row)}, n = {row_count(row)}" if counts else row_label(row)
        rich_table.add_row(Text(label), *(_written(cell, write) for cell in row.cells))
    return rich_table


def row_label(row: Row) -> str:
    """Return the label of a row, followed by its note in parentheses if it has one."""
    return f"{row.label} ({row.note})" if row.note else row.label


def row_count(row: Row) -> str:
    """Return the number of questions of a row, as "answered/total" if some have no answer."""
    return str(row.total) if row.answered == row.total else f"{row.answered}/{row.total}"


def _written(cell: Cell | None, write: Write) -> str:
    return "-" if cell is None else write(cell)


def _marked(cell: Cell) -> str:
    return f"{cell.mean:{cell.form}}{cell.mark}"


def _in_line(cell: Cell) -> str:
    return f"{_marked(cell)} {cell.interval(cell.form)}"


def _stacked(cell: Cell) -> str:
    """Return the mean with its interval below, without brackets, which rich reads as a style."""
    ends = cell.interval(cell.form).replace(", ", "-").translate(UNBRACKETED)
    return f"{_marked(cell)}\n[dim]{ends}[/dim]"


def _in_latex(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return f"${cell.mean:{cell.form}}${cell.mark} {cell.interval(cell.form)}"
    below, above = (f"{abs(end - cell.mean):{cell.form}}" for end in (cell.low, cell.high))
    dagger = r"$^\dagger$" if cell.clusters == 1 else ""
    return f"${cell.mean:{cell.form}}_{{-{below}}}^{{+{above}}}${cell.mark}{dagger}"
