"""Chart coordinates for tables: a row for each system, a bar for each mean with its interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from remem.reports.html.chart import Tick, nice_ticks

WIDTH, LEFT, RIGHT, BOTTOM = 560, 190, 48, 22
"""The width of a chart, and the margins for its labels, its numbers and its axis, in pixels."""

BAR, BETWEEN_ROWS = 11, 9

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
    """A drawn bar; `at` is the position of the number next to it."""

    series: Series
    y: int
    width: float
    low: float | None
    high: float | None
    at: float
    written: str
    tip: str


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a row, at the middle of its bars."""

    y: float
    text: str


@dataclass(frozen=True, slots=True)
class RowChart:
    """A chart that is ready to draw."""

    title: str
    note: str
    height: int
    bars: tuple[Bar, ...]
    labels: tuple[Label, ...]
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
    scale = (WIDTH - LEFT - RIGHT) / marks[-1]
    bars: list[Bar] = []
    labels = []
    y = 0
    for system in drawn:
        labels.append(Label(y + BAR * len(system.means) / 2, system.label))
        bars.extend(_bars(system, y, scale))
        y += BAR * len(system.means) + BETWEEN_ROWS
    ticks = tuple(Tick(round(LEFT + scale * mark, 1), f"{mark:,.10g}") for mark in marks)
    return RowChart(title, note, y + BOTTOM, tuple(bars), tuple(labels), ticks)


def _bars(system: System, top: int, scale: float) -> Iterator[Bar]:
    for number, mean in enumerate(system.means):
        low, high = (
            None if end is None else round(LEFT + scale * end, 1) for end in (mean.low, mean.high)
        )
        width = round(scale * max(mean.value, 0.0), 1)
        yield Bar(
            series=mean.series,
            y=top + BAR * number,
            width=width,
            low=low,
            high=high,
            at=round(max(LEFT + width, high or 0.0) + 5, 1),
            written=mean.written,
            tip=f"{system.label}, {mean.series}: {mean.written}{_ends(mean)}{mean.said}",
        )


def _ends(mean: Mean) -> str:
    if mean.low is None or mean.high is None:
        return ""
    decimals = len(mean.written.partition(".")[2])
    return f" [{mean.low:,.{decimals}f}, {mean.high:,.{decimals}f}]"
