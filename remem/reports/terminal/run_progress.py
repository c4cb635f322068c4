"""Progress of one run: indexed histories, answered questions, rate, cost so far, time left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from remem.reports.terminal.progress import PLAIN_LINES
from remem.types import Usage

Dollars = Callable[[Usage], float | None]
"""Returns the price of a usage; None if the price is unknown or no model was called."""


class RunProgress:
    """Shows the progress of a run, as bars or as plain lines.

    Args:
        console: Where the progress is printed.
        label: The name of the run.
        dollars: Returns the price of the tokens used so far.
        bars: The progress bars; None prints plain lines instead.
    """

    def __init__(
        self, console: Console, label: str, dollars: Dollars, bars: Progress | None
    ) -> None:
        self._console = console
        self._label = escape(label)
        self._dollars = dollars
        self._bars = bars
        self._taken = Usage()
        self._begun: tuple[float, int] | None = None
        self._told = -1
        if bars is not None:
            self._index = bars.add_task(f"{self._label}: index", total=None, cost="")
            self._answer = bars.add_task(f"{self._label}: answer", total=None, cost="")

    def indexed(self, done: int, total: int) -> None:
        """Show how many histories are indexed."""
        if self._bars is not None:
            self._bars.update(self._index, completed=done, total=total, cost=self._cost())
        elif total <= PLAIN_LINES or done == total:
            self._say(f"{done} of {total} histories indexed{self._cost(', ')}")

    def answered(self, done: int, total: int) -> None:
        """Show how many questions are answered."""
        if self._bars is not None:
            self._bars.update(self._answer, completed=done, total=total, cost=self._cost())
            return
        part = PLAIN_LINES if total == 0 else PLAIN_LINES * done // total
        if part > self._told:
            self._told = part
            self._say(f"{done} of {total} questions{self._rate(done)}{self._cost(', ')}")

    def taken(self, usage: Usage) -> None:
        """Add to the model usage so far; the next progress update shows the new cost."""
        self._taken += usage

    def _rate(self, done: int) -> str:
        now = time.monotonic()
        if self._begun is None:
            self._begun = now, done
        begun, before = self._begun
        return f", {(done - before) / (now - begun):,.1f} a second" if done > before else ""

    def _cost(self, before: str = "") -> str:
        dollars = self._dollars(self._taken)
        return "" if dollars is None else f"{before}${dollars:,.2f}"

    def _say(self, line: str) -> None:
        self._console.print(f"{self._label}: {line}", highlight=False)


class RateColumn(ProgressColumn):
    """A progress column with the number of steps per second."""

    def render(self, task: Task) -> Text:
        """Return the speed as text, or an empty text if it is not known yet."""
        return Text("" if task.speed is None else f"{task.speed:,.1f}/s")


@contextmanager
def show_run(console: Console, label: str, dollars: Dollars) -> Iterator[RunProgress]:
    """Yield the progress display of a run, and close it at the end."""
    if not console.is_terminal:
        yield RunProgress(console, label, dollars, None)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TextColumn("{task.fields[cost]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bars:
        yield RunProgress(console, label, dollars, bars)
