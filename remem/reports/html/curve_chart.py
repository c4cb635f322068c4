"""Chart coordinates for curves over time: points joined by lines, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from remem.reports.html.chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Mark, Tick, nice_ticks
from remem.results.interval_text import bracketed
from remem.results.stream_curves import AXES, Curve, CurvePoint, Measure, format_value

PER_CENT = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Segment:
    """A line between two neighbouring points."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class CurveChart:
    """A curve that is ready to draw."""

    title: str
    note: str
    across: str
    unit: str
    marks: tuple[Mark, ...]
    segments: tuple[Segment, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def curve_chart(curve: Curve) -> CurveChart:
    """Return the chart of a curve; its points lie at equal distances."""
    measure = curve.measure
    highest = max(point.interval.high or point.interval.mean for point in curve.points)
    levels = PER_CENT if measure.share and highest <= 1 else nice_ticks(highest)
    step = (WIDTH - LEFT - RIGHT) / len(curve.points)
    middles = [LEFT + step * (at + 0.5) for at in range(len(curve.points))]
    marks = [
        _mark(x, point, measure, levels[-1]) for x, point in zip(middles, curve.points, strict=True)
    ]
    return CurveChart(
        title=measure.heading,
        note=measure.note,
        across=AXES[curve.axis],
        unit="per cent" if measure.share else "",
        marks=tuple(marks),
        segments=tuple(Segment(a.x, a.y, b.x, b.y) for a, b in pairwise(marks)),
        x_ticks=tuple(_x_ticks(middles, curve.points)),
        y_ticks=tuple(
            Tick(_height(level, levels[-1]), format_value(level, measure)) for level in levels
        ),
    )


def _mark(x: float, point: CurvePoint, measure: Measure, most: float) -> Mark:
    found = point.interval
    ends = ""
    if found.low is not None and found.high is not None:
        ends = f" [{format_value(found.low, measure)}, {format_value(found.high, measure)}]"
        ends += "†" if bracketed(found, ".1f").endswith("†") else ""
    tip = f"{point.ages}: {format_value(found.mean, measure)}{ends}, n = {found.n:,}"
    low, high = (
        None if end is None else _height(min(end, most), most) for end in (found.low, found.high)
    )
    return Mark(round(x, 1), _height(found.mean, most), low, high, tip)


def _x_ticks(middles: Sequence[float], points: Sequence[CurvePoint]) -> list[Tick]:
    """Label each point with its ages; a range has a hyphen, or "to" where an age is below 0."""
    return [
        Tick(round(x, 1), point.ages if point.low < 0 else point.ages.replace(" to ", "-"))
        for x, point in zip(middles, points, strict=True)
    ]


def _height(value: float, most: float) -> float:
    return round(HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM), 1)
