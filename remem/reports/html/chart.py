"""Chart coordinates for templates, which draw points or bars with their intervals as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from remem.metrics.intervals import Interval
from remem.results.interval_text import bracketed

WIDTH, HEIGHT = 460, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 44
"""The size of a chart and its margins, in pixels."""

MOST_BAR = 56
"""The maximum width of a bar, in pixels."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean with its interval; `place` is its position on the axis, and `name` labels its bar."""

    name: str
    place: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Mark:
    """A drawn point or bar: its middle, its height, its tooltip, and the ends of its interval."""

    x: float
    y: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its position and its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that is ready to draw; its vertical axis goes from 0 to 100 percent."""

    title: str
    note: str
    kind: Literal["points", "bars"]
    across: str
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    bar: float = 0.0


def bar_chart(title: str, note: str, across: str, measured: Sequence[Measured]) -> Chart:
    """Return a bar chart of the means, with the bars side by side."""
    step = (WIDTH - LEFT - RIGHT) / max(len(measured), 1)
    middles = [LEFT + step * (at + 0.5) for at in range(len(measured))]
    return Chart(
        title,
        note,
        "bars",
        across,
        tuple(_mark(x, point) for x, point in zip(middles, measured, strict=True)),
        tuple(Tick(round(x, 1), point.name) for x, point in zip(middles, measured, strict=True)),
        _percent_ticks(),
        bar=round(min(MOST_BAR, step * 0.7), 1),
    )


def point_chart(title: str, note: str, across: str, measured: Sequence[Measured]) -> Chart:
    """Return a point chart of the means, along a horizontal axis that starts at 0."""
    ticks = nice_ticks(max(point.place for point in measured))
    scale = (WIDTH - LEFT - RIGHT) / ticks[-1]
    return Chart(
        title,
        note,
        "points",
        across,
        tuple(_mark(LEFT + scale * point.place, point) for point in measured),
        tuple(Tick(round(LEFT + scale * tick, 1), f"{tick:,.10g}") for tick in ticks),
        _percent_ticks(),
    )


def nice_ticks(most: float) -> list[float]:
    """Return round numbers from 0 to at least `most`, about five of them.

    >>> nice_ticks(23), nice_ticks(0.0007)
    ([0.0, 5.0, 10.0, 15.0, 20.0, 25.0], [0.0, 0.0002, 0.0004, 0.0006, 0.0008])
    """
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(most / 4))
    step = next(power * part for part in (1, 2, 5, 10) if most / (power * part) <= 5)
    return [round(step * at, 12) for at in range(ceil(round(most / step, 9)) + 1)]


def _mark(x: float, point: Measured) -> Mark:
    interval = point.interval
    ends = "" if interval.low is None else f" {bracketed(interval, '.1f', 100)}"
    tip = f"{point.name}: {100 * interval.mean:.1f}{ends}, n = {interval.n:,}"
    low, high = (None if end is None else _height(end) for end in (interval.low, interval.high))
    return Mark(round(x, 1), _height(interval.mean), low, high, tip)


def _percent_ticks() -> tuple[Tick, ...]:
    return tuple(Tick(_height(share / 100), str(share)) for share in (0, 25, 50, 75, 100))


def _height(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)
