"""Lay out charts of means with intervals, so that templates can draw them as SVG.

Horizontal positions are in per cent of the width and vertical ones in pixels, so that text keeps
its size on a phone. Chart libraries scale a chart in both directions, so none is used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from remem.metrics.intervals import Interval
from remem.results.run_notes import bracketed
from remem.results.stream_curves import AXES, Curve, CurvePoint, Measure, format_value
from remem.tables.table import Value, scaled

PER_CENT = (0.0, 25.0, 50.0, 75.0, 100.0)
ABOUT_POINTS = "A point is a mean; the line on it is its 95% interval."
IN_PER_CENT = "per cent"
COUNT = Measure("", "", share=False)
MOST_LINES = 8
"""The number of colours and shapes that tell lines apart (templates/charts.css, macros)."""
CHARACTERS = 45
"""The characters that fit below a chart on a phone."""
MARGIN, NEAREST, APART = 0.08, 0.1, 1.5
"""The free share of a horizontal axis at each end; the smallest share between two numbers; and the
distance between marks of the same number, in per cent of the width."""


@dataclass(frozen=True, slots=True)
class PlottedMean:
    """A mean with its interval; `place` is its position on the axis, and `name` is its label.

    The shares of an `Interval` are drawn in per cent; a `Value` is drawn unchanged.
    """

    name: str
    place: float
    interval: Interval | Value

    @property
    def value(self) -> Value:
        """The mean in the unit of the chart."""
        own = self.interval
        return own if isinstance(own, Value) else scaled(own, 100.0, percent=True)


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A mean on a chart: position, tooltip, ends of the interval, and the number of its line.

    `kind` is the CSS class of the mark's shape; a script filters marks by `model`.
    """

    x: float
    y: float
    low: float | None
    high: float | None
    tip: str
    kind: str = "shape"
    model: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its position and its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that is ready to draw.

    Marks with the same `line` form a curve. In a chart of rows, the horizontal axis shows
    the means, so `x_ticks` and the ends of intervals are horizontal positions, and `y_ticks` has
    the label of each mark. `lines` has the names in the legend.
    """

    height: ClassVar[int] = 250
    top: ClassVar[int] = 12
    bottom: ClassVar[int] = 206
    left: ClassVar[float] = 9.6
    right: ClassVar[float] = 97.4

    title: str
    note: str
    kind: Literal["points", "curve", "rows"]
    across: str
    marks: tuple[PlotMark, ...]
    x_ticks: Annotated[tuple[Tick, ...], Field(max_length=CHARACTERS)]
    y_ticks: tuple[Tick, ...]
    unit: str = IN_PER_CENT
    lines: tuple[str, ...] = ()


def dot_chart(title: str, note: str, across: str, measured: Sequence[PlottedMean]) -> Chart:
    """Return a chart of means that are side by side, each above its name."""
    places = _side_by_side(len(measured))
    names = [Tick(place, point.name) for place, point in zip(places, measured, strict=True)]
    marks = tuple(map(_mark, places, measured))
    note = f"{note} {ABOUT_POINTS}"
    return Chart(title, note, "points", across, marks, _thinned(names), percent_ticks())


def point_chart(title: str, note: str, across: str, measured: Sequence[PlottedMean]) -> Chart:
    """Return a point chart of the means, along a horizontal axis that starts at 0."""
    numbers = nice_ticks(max(point.place for point in measured))
    marks = tuple(_mark(across_at(point.place / numbers[-1]), point) for point in measured)
    ticks = tuple(Tick(across_at(number / numbers[-1]), f"{number:,.10g}") for number in numbers)
    return Chart(title, f"{note} {ABOUT_POINTS}", "points", across, marks, ticks, percent_ticks())


def line_chart(title: str, across: str, lines: Mapping[str, Sequence[PlottedMean]]) -> Chart:
    """Return a chart with a line for each name; the vertical axis shows the range of the means.

    Numbers on the horizontal axis are placed to scale unless their labels would be too close
    together.
    """
    means = [point for line in lines.values() for point in line]
    levels = _levels(means)
    places, to_scale = _places({point.place for point in means})
    nearest = min((b - a for a, b in pairwise(places.values())), default=100.0)
    apart = min(APART, 0.6 * nearest / len(lines))
    marks = (
        _mark(places[point.place] + apart * (at - (len(lines) - 1) / 2), point, levels, at)
        for at, line in enumerate(lines.values())
        for point in sorted(line, key=lambda point: point.place)
    )
    return Chart(
        title,
        _about(levels) + ("" if to_scale else " The distances of the numbers are not to scale."),
        "curve",
        across,
        tuple(marks),
        _thinned([Tick(place, f"{number:.10g}") for number, place in places.items()]),
        _heights(levels, _unit(means)),
        _unit(means),
        tuple(lines) if len(lines) > 1 else (),
    )


def row_chart(title: str, measured: Sequence[PlottedMean]) -> Chart:
    """Return a chart with a row for each mean; the horizontal axis shows their range."""
    levels = _levels(measured)

    def place(number: float | None) -> float | None:
        return None if number is None else round(2 + 96 * _share(number, levels), 2)

    return Chart(
        title,
        _about(levels),
        "rows",
        "",
        tuple(
            PlotMark(place(own.mean) or 0.0, 11.0, place(own.low), place(own.high), _tip(point))
            for point in measured
            for own in (point.value,)
        ),
        tuple(Tick(place(level) or 0.0, f"{level:,.10g}") for level in levels),
        tuple(Tick(0.0, point.name) for point in measured),
        unit=_unit(measured),
    )


def curve_chart(curve: Curve) -> Chart:
    """Return the chart of a curve over time, with evenly spaced points."""
    measure, places = curve.measure, _side_by_side(len(curve.points))
    scale = 100.0 if measure.share else 1.0
    measured = [
        PlottedMean(point.ages, point.low, scaled(point.interval, scale, measure.share))
        for point in curve.points
    ]
    highest = max(point.value.high or point.value.mean for point in measured)
    levels = PER_CENT if measure.share and highest <= 100 else nice_ticks(highest)
    return Chart(
        measure.heading,
        measure.note,
        "curve",
        AXES[curve.axis],
        tuple(_mark(x, point, levels) for x, point in zip(places, measured, strict=True)),
        tuple(Tick(x, _ages(point)) for x, point in zip(places, curve.points, strict=True)),
        _heights(levels, _unit(measured)),
        _unit(measured),
    )


def nice_ticks(most: float, least: float = 0.0) -> list[float]:
    """Return about five evenly spaced round numbers that cover the range from `least` to `most`.

    >>> nice_ticks(23), nice_ticks(0.0007)
    ([0.0, 5.0, 10.0, 15.0, 20.0, 25.0], [0.0, 0.0002, 0.0004, 0.0006, 0.0008])
    >>> nice_ticks(34.1, 28.3)
    [28.0, 30.0, 32.0, 34.0, 36.0]
    """
    if most <= least:
        return [least, least + 1.0]
    power = 10.0 ** floor(log10((most - least) / 4))
    step = next(power * part for part in (1, 2, 5, 10) if (most - least) / (power * part) <= 5)
    first, last = floor(round(least / step, 9)), ceil(round(most / step, 9))
    return [round(step * at, 12) for at in range(first, last + 1)]


def ticks_around(least: float, most: float) -> list[float]:
    """Return the ticks of an axis for a range.

    The ticks start at 0 if `least` is below half of `most`, or if the range is empty.

    >>> ticks_around(28.3, 34.1), ticks_around(5.0, 34.1)
    ([28.0, 30.0, 32.0, 34.0, 36.0], [0.0, 10.0, 20.0, 30.0, 40.0])
    """
    return nice_ticks(most, 0.0 if 0 <= least < most / 2 or least == most else least)


def percent_ticks() -> tuple[Tick, ...]:
    """Return the ticks of a vertical axis from 0 to 100 percent."""
    return _heights(PER_CENT, IN_PER_CENT)


def across_at(share: float) -> float:
    """Return a horizontal position in per cent; `share` is from 0 (left) to 1 (right)."""
    return round(Chart.left + share * (Chart.right - Chart.left), 2)


def up_to(share: float) -> float:
    """Return a vertical position in pixels; `share` is from 0 (bottom) to 1 (top)."""
    return round(Chart.bottom - share * (Chart.bottom - Chart.top), 1)


def _levels(measured: Sequence[PlottedMean]) -> list[float]:
    """Return the ticks of an axis that shows the means and their intervals."""
    values = [point.value for point in measured]
    least = min(value.mean if value.low is None else value.low for value in values)
    most = max(value.mean if value.high is None else value.high for value in values)
    return ticks_around(least, most)


def _about(levels: Sequence[float]) -> str:
    zoomed = f" The axis starts at {levels[0]:,.10g}, not at 0." if levels[0] else ""
    return f"The line on a mean is its 95% interval.{zoomed}"


def _unit(measured: Sequence[PlottedMean]) -> str:
    return IN_PER_CENT if all(point.value.percent for point in measured) else ""


def _heights(levels: Sequence[float], unit: str) -> tuple[Tick, ...]:
    texts = (f"{level:g}" if unit else format_value(level, COUNT) for level in levels)
    return tuple(Tick(_up(level, levels), text) for level, text in zip(levels, texts, strict=True))


def _share(number: float, levels: Sequence[float]) -> float:
    """Return the position of a number as a share of the axis, limited to its two ends."""
    share = (number - levels[0]) / (levels[-1] - levels[0])
    return min(max(share, 0.0), 1.0)


def _up(number: float, levels: Sequence[float]) -> float:
    return up_to(_share(number, levels))


def _side_by_side(count: int) -> list[float]:
    return [across_at((at + 0.5) / count) for at in range(count)]


def _places(numbers: Iterable[float]) -> tuple[dict[float, float], bool]:
    """Return the places of the sorted numbers, and whether their distances are to scale."""
    ordered = sorted(numbers)
    steps = max(len(ordered) - 1, 1)
    even = [at / steps for at in range(len(ordered))]
    true = [(number - ordered[0]) / ((ordered[-1] - ordered[0]) or 1.0) for number in ordered]
    room = max(NEAREST, (max(len(f"{number:.10g}") for number in ordered) + 1) / CHARACTERS)
    to_scale = all(b - a >= room for a, b in pairwise(true)) or np.allclose(true, even)
    shares = true if to_scale else even
    places = (across_at(MARGIN + (1 - 2 * MARGIN) * share) for share in shares)
    return dict(zip(ordered, places, strict=True)), to_scale


def _thinned(ticks: Sequence[Tick]) -> tuple[Tick, ...]:
    """Return every n-th tick, so that all labels have room."""
    longest = max(len(tick.text) for tick in ticks)
    return tuple(ticks[:: ceil(len(ticks) * (longest + 1) / CHARACTERS)])


def _mark(
    x: float, point: PlottedMean, levels: Sequence[float] = PER_CENT, line: int = 0
) -> PlotMark:
    own = point.value
    low, high = (None if end is None else _up(end, levels) for end in (own.low, own.high))
    return PlotMark(round(x, 2), _up(own.mean, levels), low, high, _tip(point), line=line)


def _tip(point: PlottedMean) -> str:
    own = point.value
    form = ".1f" if own.percent else ",.4g"
    ends = "" if own.n == 1 else f" {bracketed(own, form)}"
    return f"{point.name}: {own.mean:{form}}{ends}, n = {own.n:,}"


def _ages(point: CurvePoint) -> str:
    """Label a point with its ages; a range has a hyphen, or "to" if an age is below 0."""
    return point.ages if point.low < 0 else point.ages.replace(" to ", "-")
