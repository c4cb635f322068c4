"""Chart coordinates for tables: a row for each system, a bar for each mean with its interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from remem.reports.html.chart import Tick, nice_ticks

BAR = 12
"""The height of a bar, in pixels."""

WIDEST = 86.0
"""Where the axis ends, in per cent of the width; the rest is for the numbers next to the bars."""

Series = Literal["ours", "paper", "llm-free"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A number of a system; `low` and `high` are None if it has no interval."""

    series: Series
    value: float
    low: float | None
    high: float | None
    written: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class System:
    """A row: its label and its numbers."""

    label: str
    means: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A drawn bar: its ends in per cent of the width, and `y` in pixels from the top of its row.

    `at` is where the number next to it begins.
    """

    series: Series
    y: int
    width: float
    low: float | None
    high: float | None
    at: float
    written: str
    tip: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """The bars of a system below one another; `height` is in pixels."""

    label: str
    height: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class RowChart:
    """A chart that is ready to draw."""

    title: str
    note: str
    rows: tuple[BarRow, ...]
    ticks: tuple[Tick, ...]


def row_chart(
    title: str, note: str, systems: Sequence[System], *, percent: bool
) -> RowChart | None:
    """Return a chart of the systems that have a number, or None if no system has one.

    Args:
        title: The title of the chart.
        note: A caption for the reader.
        systems: The systems, in the order of the table.
        percent: Whether the axis ends at 100; otherwise it ends at a round number.
    """
    drawn = [system for system in systems if system.means]
    if not drawn:
        return None
    most = max(max(mean.value, mean.high or 0.0) for system in drawn for mean in system.means)
    marks = [0.0, 25.0, 50.0, 75.0, 100.0] if percent and most <= 100 else nice_ticks(most)
    scale = WIDEST / marks[-1]
    rows = tuple(
        BarRow(system.label, BAR * len(system.means), tuple(_bars(system, scale)))
        for system in drawn
    )
    ticks = tuple(Tick(round(scale * mark, 2), f"{mark:,.10g}") for mark in marks)
    return RowChart(title, note, rows, ticks)


def _bars(system: System, scale: float) -> Iterator[Bar]:
    for number, mean in enumerate(system.means):
        low, high = (
            None if end is None else round(scale * end, 2) for end in (mean.low, mean.high)
        )
        width = round(scale * max(mean.value, 0.0), 2)
        yield Bar(
            series=mean.series,
            y=BAR * number,
            width=width,
            low=low,
            high=high,
            at=max(width, high or 0.0),
            written=mean.written,
            tip=f"{system.label}, {mean.series}: {mean.written}{_ends(mean)}{mean.said}",
        )


def _ends(mean: Mean) -> str:
    if mean.low is None or mean.high is None:
        return ""
    decimals = len(mean.written.partition(".")[2])
    return f" [{mean.low:,.{decimals}f}, {mean.high:,.{decimals}f}]"
