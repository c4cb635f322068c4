"""The end of a sweep in the terminal: the table of its jobs, then the failed ones with commands."""

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from remem.run.sweep_jobs import Job
from remem.tables.render import NO_LIMIT, empty_table
from remem.tables.sweep_table import SweepBlock, SweepRow, SweepTable

WIDEST_LABEL = 44
"""Characters of a line of the first column, whose longer texts are folded."""


def show_sweep(table: SweepTable, console: Console) -> RenderableType:
    """Return the table of a sweep, with as many scores as the console is wide enough for."""
    parts: list[RenderableType] = []
    for block in table.blocks:
        title = ": ".join(filter(None, (table.title, block.title)))
        count = f" (n = {block.count})" if block.count else ""
        parts += [Text(""), Text(f"{title}{count}", style="bold")]
        shown = len(block.headings)
        while shown > 1 and _width(_drawn(block, shown), console) > console.width:
            shown -= 1
        parts.append(_drawn(block, shown))
        if shown < len(block.headings):
            left_out = ", ".join(block.headings[shown:])
            parts.append(Text(f"This terminal is too narrow for {left_out}; the page has them."))
        parts += [Text(note) for note in block.notes]
    return Group(*parts, Text(""))


def ending(jobs: Sequence[Job], total: int | None = None) -> Iterator[str]:
    """Yield the number of finished jobs, then the command and the error of each failed job.

    Args:
        jobs: The jobs that were started.
        total: The number of jobs of the sweep; None if it is unknown.
    """
    count = max(total or 0, len(jobs))
    done = sum(job.state == "done" for job in jobs)
    yield f"{done} of {count} jobs are done"
    if done < len(jobs):
        yield "Failed:"
    for job in jobs:
        if job.state != "done":
            yield f"{job.command}\n  {job.outcome}"
    if count > len(jobs):
        left = count - len(jobs)
        yield f"{left} {'job was' if left == 1 else 'jobs were'} not started; run the same command"


def _width(shown: RichTable, console: Console) -> int:
    return Measurement.get(console, console.options.update(max_width=NO_LIMIT), shown).maximum


def _drawn(block: SweepBlock, columns: int) -> RichTable:
    """Return a table of the rows with the first few columns."""
    shown = empty_table()
    shown.add_column("Job", max_width=WIDEST_LABEL)
    for heading in block.headings[:columns]:
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in block.rows:
        cells = (_cell(*row.texts(position)) for position in range(columns))
        shown.add_row(_label(row, with_count=not block.count), *cells)
    return shown


def _label(row: SweepRow, *, with_count: bool) -> Text:
    label = Text(f"{row.label}, n = {row.count}" if with_count and row.count else row.label)
    if row.remark:
        label.append(f"\n{row.remark}", style="dim" if row.job.state == "done" else "red")
    return label


def _cell(mean: str, gap: str, interval: str) -> Text:
    cell = Text(f"{mean} {gap}".rstrip(), justify="right")
    if interval:
        cell.append(f"\n{interval}", style="dim")
    return cell
