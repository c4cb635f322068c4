"""Charts of means with their intervals, laid out for templates, which draw them as SVG.

Horizontal places are in per cent of the width and vertical ones in pixels, so that texts keep their
size on a phone. No library draws charts that way: theirs are scaled as a whole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import ClassVar, Literal

from remem.metrics.intervals import Interval
from remem.results.run_notes import bracketed, shown_interval
from remem.results.stream_curves import AXES, Curve, CurvePoint, format_value

PER_CENT = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_BAR = 12.2
"""The maximum width of a bar, in per cent of the width of a chart."""


@dataclass(frozen=True, slots=True)
class PlottedMean:
    """A mean with its interval; `place` is its position on the axis, and `name` labels its bar."""

    name: str
    place: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A drawn point or bar: its middle, its height, its tooltip, and the ends of its interval.

    `kind` is the CSS class of a point; `model` is by what a script filters.
    """

    x: float
    y: float
    low: float | None
    high: float | None
    tip: str
    kind: str = "mean"
    model: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its position and its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that is ready to draw; the points of a curve are joined by lines."""

    height: ClassVar[int] = 250
    top: ClassVar[int] = 12
    bottom: ClassVar[int] = 206
    left: ClassVar[float] = 9.6
    right: ClassVar[float] = 97.4

    title: str
    note: str
    kind: Literal["points", "bars", "curve"]
    across: str
    marks: tuple[PlotMark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    unit: str = "per cent"
    bar: float = 0.0


def bar_chart(title: str, note: str, across: str, measured: Sequence[PlottedMean]) -> Chart:
    """Return a bar chart of the means, with the bars side by side."""
    places = _side_by_side(len(measured))
    return Chart(
        title,
        f"{note} A bar is a mean in per cent; the line on it is its 95% interval.",
        "bars",
        across,
        tuple(map(_mark, places, measured)),
        tuple(Tick(place, point.name) for place, point in zip(places, measured, strict=True)),
        percent_ticks(),
        bar=round(min(MOST_BAR, (Chart.right - Chart.left) / len(measured) * 0.7), 2),
    )


def point_chart(title: str, note: str, across: str, measured: Sequence[PlottedMean]) -> Chart:
    """Return a point chart of the means, along a horizontal axis that starts at 0."""
    ticks = nice_ticks(max(point.place for point in measured))
    return Chart(
        title,
        f"{note} A point is a mean in per cent; the line on it is its 95% interval.",
        "points",
        across,
        tuple(_mark(across_at(point.place / ticks[-1]), point) for point in measured),
        tuple(Tick(across_at(tick / ticks[-1]), f"{tick:,.10g}") for tick in ticks),
        percent_ticks(),
    )


def curve_chart(curve: Curve) -> Chart:
    """Return the chart of a curve over time; its points lie at equal distances."""
    measure = curve.measure
    highest = max(point.interval.high or point.interval.mean for point in curve.points)
    levels = PER_CENT if measure.share and highest <= 1 else nice_ticks(highest)
    places = _side_by_side(len(curve.points))
    tips = (_curve_tip(point, lambda value: format_value(value, measure)) for point in curve.points)
    return Chart(
        f"{measure.heading}, per cent" if measure.share else measure.heading,
        measure.note,
        "curve",
        AXES[curve.axis],
        tuple(
            interval_mark(place, point.interval, levels[-1], tip)
            for place, point, tip in zip(places, curve.points, tips, strict=True)
        ),
        tuple(Tick(place, _ages(point)) for place, point in zip(places, curve.points, strict=True)),
        tuple(Tick(up_to(level / levels[-1]), format_value(level, measure)) for level in levels),
        unit="",
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


def percent_ticks() -> tuple[Tick, ...]:
    """Return the ticks of a vertical axis from 0 to 100 percent."""
    return tuple(Tick(up_to(share), f"{100 * share:g}") for share in PER_CENT)


def across_at(share: float) -> float:
    """Return the place at a share of the horizontal axis."""
    return round(Chart.left + share * (Chart.right - Chart.left), 2)


def up_to(share: float) -> float:
    """Return the place at a share of the vertical axis."""
    return round(Chart.bottom - share * (Chart.bottom - Chart.top), 1)


def interval_mark(x: float, interval: Interval, most: float, tip: str) -> PlotMark:
    """Return the mark of an interval on a vertical axis from 0 to `most`, where it is cut off."""
    shown = shown_interval(interval)
    low, high = (
        None if end is None else up_to(min(end, most) / most) for end in (shown.low, shown.high)
    )
    return PlotMark(x, up_to(interval.mean / most), low, high, tip)


def _side_by_side(count: int) -> list[float]:
    return [across_at((at + 0.5) / count) for at in range(count)]


def _mark(x: float, point: PlottedMean) -> PlotMark:
    interval = point.interval
    ends = "" if interval.low is None else f" {bracketed(interval, '.1f', 100)}"
    tip = f"{point.name}: {100 * interval.mean:.1f}{ends}, n = {interval.n:,}"
    return interval_mark(x, interval, 1.0, tip)


def _curve_tip(point: CurvePoint, text: Callable[[float], str]) -> str:
    interval, ends = point.interval, ""
    if interval.low is not None and interval.high is not None:
        ends = f" [{text(interval.low)}, {text(interval.high)}]"
        ends += "†" if bracketed(interval, ".1f").endswith("†") else ""
    return f"{point.ages}: {text(interval.mean)}{ends}, n = {interval.n:,}"


def _ages(point: CurvePoint) -> str:
    """Label a point with its ages; a range has a hyphen, or "to" where an age is below 0."""
    return point.ages if point.low < 0 else point.ages.replace(" to ", "-")
