"""Progress of a download: a bar in a terminal, nothing elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


@contextmanager
def show_download(console: Console, label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a callback that shows the number of received bytes."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=None)
        yield lambda received, total: progress.update(task, completed=received, total=total)
