"""Progress display: a bar in a terminal, a few plain lines elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

PLAIN_LINES = 4
"""Number of progress lines that a run prints if the output is not a terminal."""


@contextmanager
def show_progress(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback `(done, total)` that shows how many questions are answered."""
    if not console.is_terminal:
        yield _plain_lines(console, escape(label))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(escape(label), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _plain_lines(console: Console, label: str) -> Callable[[int, int], None]:
    shown = -1

    def show(done: int, total: int) -> None:
        nonlocal shown
        part = PLAIN_LINES if total == 0 else PLAIN_LINES * done // total
        if part > shown:
            shown = part
            console.print(f"{label}: {done} of {total} questions", highlight=False)

    return show
