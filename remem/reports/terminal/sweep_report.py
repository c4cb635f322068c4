"""What a sweep prints at its end: the table of its jobs, then the commands of failed jobs."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from remem.run.sweep_jobs import Job
from remem.tables.render import WideTable, empty_table
from remem.tables.sweep_table import SweepBlock, SweepRow, SweepTable

WIDEST_LABEL = 44
"""Characters of a line in the first column; longer texts are folded."""


def show_sweep(table: SweepTable) -> RenderableType:
    """Return the table of a sweep."""
    parts: list[RenderableType] = []
    for block in table.blocks:
        title = ": ".join(filter(None, (table.title, block.title)))
        count = f" (n = {block.count})" if block.count else ""
        parts += [Text(""), Text(f"{title}{count}", style="bold")]
        parts += [Text(block.winner)] if block.winner else []
        parts.append(WideTable(_block_table(block)))
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


def _block_table(block: SweepBlock) -> RichTable:
    shown = empty_table()
    shown.add_column("Job", max_width=WIDEST_LABEL)
    for heading in block.headings:
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in block.rows:
        cells = (_cell(*row.texts(position)) for position in range(len(block.headings)))
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
