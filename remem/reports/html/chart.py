"""Charts as coordinates, which a template draws as SVG: points or bars with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from remem.evaluation.interval_text import bracketed
from remem.metrics.intervals import Interval

WIDTH, HEIGHT = 460, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 44
"""The size of a chart, and the margins around what is drawn."""

MOST_BAR = 56
"""The largest width of a bar."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean at a place along the axis; `name` is what stands below a bar."""

    name: str
    place: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Mark:
    """A point or a bar as drawn: its middle, its height, its tip, the ends of any interval."""

    x: float
    y: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready to be drawn; its marks have a common scale from 0 to 100 per cent."""

    title: str
    note: str
    kind: Literal["points", "bars"]
    across: str
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    bar: float = 0.0


def bar_chart(title: str, note: str, across: str, measured: Sequence[Measured]) -> Chart:
    """Lay out a bar for each mean, side by side."""
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
    """Lay out a point for each mean along an axis that begins at 0."""
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
