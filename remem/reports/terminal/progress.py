"""Show progress: a live view in a terminal; elsewhere, a line for each finished row.

Each row shows the progress of one run, for example of one row of a table or one job of a sweep.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from remem.llm.budget import Price
from remem.run.progress import OnProgress, Progress
from remem.types import Usage

BAR_WIDTH = 24
REFRESHES_A_SECOND = 4
NOTHING = Progress(0, 0)


@dataclass(frozen=True, slots=True)
class SpentSoFar:
    """Questions answered, model usage and dollars; `dollars` is None if no price is known."""

    answered: int = 0
    usage: Usage = field(default_factory=Usage)
    dollars: float | None = None

    def plus(self, other: "SpentSoFar") -> "SpentSoFar":
        """Return the sum of two amounts; unknown dollars count as 0 unless both are unknown."""
        sums = [dollars for dollars in (self.dollars, other.dollars) if dollars is not None]
        return SpentSoFar(
            self.answered + other.answered,
            self.usage + other.usage,
            sum(sums) if sums else None,
        )

    def words(self) -> list[str]:
        """Return the calls, tokens and dollars in words; nothing if no model was called."""
        if not self.usage.calls:
            return []
        tokens_in, tokens_out = self.usage.shown_tokens
        calls = _counted(self.usage.calls, "call")
        words = [calls, f"{tokens_in} tokens in", f"{tokens_out} out"]
        return words if self.dollars is None else [*words, f"${self.dollars:,.2f}"]


@dataclass(slots=True)
class ProgressRow:
    """The row that is running; `first` is its progress at the start, `now` its latest progress."""

    number: int
    label: str
    price: Price | None
    started: float
    first: Progress | None = None
    now: Progress = NOTHING

    def take(self, progress: Progress) -> None:
        """Store the latest progress of the row."""
        self.first, self.now = self.first or progress, progress

    @property
    def spent(self) -> SpentSoFar:
        """The questions answered and the usage of this row since it started."""
        usage, first = self.now.usage, self.first or NOTHING
        has_price = self.price is not None and usage.calls
        dollars = self.price.dollars(usage) if self.price is not None and has_price else None
        return SpentSoFar(self.now.done - first.done, usage, dollars)


class ProgressView:
    """Shows the progress of one row after another; call it with the label of each row.

    Args:
        console: Where the progress is shown.
        rows: How many rows there will be; None if that is unknown.
        clock: Returns seconds.
        whole: The words that follow the time left, such as "of the sweep". If this is empty, the
            line of a finished row does not show the time left.
        alone: Whether all rows run in this process, one after another. If not, other processes
            share the terminal, so each row is shown only when it has ended, without the time left.
    """

    def __init__(
        self,
        console: Console,
        rows: int | None,
        clock: Callable[[], float] = time.monotonic,
        *,
        whole: str = "",
        alone: bool = True,
    ) -> None:
        self._console = console
        self._rows = rows
        self._whole = whole
        self._alone = alone
        self._clock = clock
        self._begun = clock()
        self._shown = 0
        self._before = SpentSoFar()

    @contextmanager
    def __call__(
        self, label: str, price: Price | None = None, number: int | None = None
    ) -> Iterator[OnProgress]:
        """Show the progress of the next row: live in a terminal, else in a line at its end.

        Args:
            label: The label of the row.
            price: The price of its model, if that is known.
            number: The number of the row; None for the number after that of the previous row.
        """
        self._shown = self._shown + 1 if number is None else number
        row = ProgressRow(self._shown, label, price, self._clock())
        try:
            if self._alone and _is_screen(self._console):
                with Live(
                    get_renderable=lambda: self._live(row),
                    console=self._console,
                    refresh_per_second=REFRESHES_A_SECOND,
                    transient=True,
                ):
                    yield row.take
            else:
                yield row.take
                self._console.print(self.line(row), markup=False, highlight=False, soft_wrap=True)
        finally:
            self._before = self._before.plus(row.spent)

    def line(self, row: ProgressRow) -> str:
        """Return the line of a finished row."""
        now, first = row.now, row.first or NOTHING
        asked = [] if row.first is None else [_counted(now.questions, "question")]
        parts = [
            *asked,
            *([f"{first.done:,} already answered"] if first.done else []),
            *([f"{now.failed:,} failed"] if now.failed else []),
            _duration(self._clock() - row.started),
            *row.spent.words(),
            *(self._time_left(row) if self._whole and row.number != self._rows else []),
        ]
        return f"{self._title(row)}: {', '.join(parts)}"

    def left_seconds(self, row: ProgressRow) -> float | None:
        """Return the estimated seconds to the end of all rows; None before the first answer.

        The estimate assumes that each remaining row has as many questions as this row. Questions
        that were answered before this start take no time.
        """
        answered = self._before.answered + row.spent.answered
        if answered <= 0:
            return None
        to_come = 0 if self._rows is None else max(self._rows - row.number, 0)
        left = row.now.questions * (1 + to_come) - row.now.done
        return left * (self._clock() - self._begun) / answered

    def _live(self, row: ProgressRow) -> RenderableType:
        now = row.now
        # A pulsing bar, if nothing is known yet, would only cost CPU time.
        bar = ProgressBar(total=max(now.questions, 1), completed=now.done, width=BAR_WIDTH)
        grid = Table.grid(padding=(0, 1))
        grid.add_row(bar, _one_line(*_done(now), *_also(now)))
        total = self._before.plus(row.spent)
        seconds = self._clock() - self._begun
        rate = f"{total.answered / seconds:,.1f} a second" if total.answered and seconds else ""
        times = [f"{_duration(seconds)} so far", *self._time_left(row)]
        return Group(
            _one_line(self._title(row)),
            grid,
            _one_line(*times, *filter(None, [rate]), *total.words()),
        )

    def _time_left(self, row: ProgressRow) -> list[str]:
        """Return the time left in words; nothing if it cannot be estimated."""
        left = self.left_seconds(row) if self._alone else None
        return [] if left is None else [f"about {_duration(left)} left {self._whole}".rstrip()]

    def _title(self, row: ProgressRow) -> str:
        if self._rows == 1:
            return row.label
        of = "" if self._rows is None else f"/{self._rows}"
        return f"[{row.number}{of}] {row.label}"


def _is_screen(console: Console) -> bool:
    """Return whether lines can be redrawn; FORCE_COLOR makes rich call every pipe a terminal."""
    return console.file.isatty() and not console.is_dumb_terminal


def _done(now: Progress) -> Iterator[str]:
    """Yield the number of answered questions, or the current work if their total is unknown."""
    yield f"{now.done:,} of {now.questions:,} questions" if now.questions else "reading the data"


def _also(now: Progress) -> Iterator[str]:
    """Yield the number of indexed histories until all are indexed, and of failures if any."""
    if now.indexed < now.histories:
        yield f"{now.indexed:,} of {now.histories:,} histories indexed"
    if now.failed:
        yield f"{now.failed:,} failed"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _one_line(*parts: str) -> Text:
    return Text(" · ".join(parts), no_wrap=True, overflow="ellipsis")


def _duration(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds.

    >>> _duration(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
