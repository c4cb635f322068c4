"""Curves over time as text: numbers, and the rows of a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.evaluation.stream_curves import Curve, Measure

UNITS = {1e9: "G", 1e6: "M", 1e3: "k"}


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A row of a table: an age, and a text for each curve."""

    ages: str
    cells: tuple[str, ...]


def curve_rows(curves: Sequence[Curve]) -> Iterator[CurveRow]:
    """Yield a row for each age that any of the curves has."""
    ages = {(point.low, point.high): point.ages for curve in curves for point in curve.points}
    points = [{(point.low, point.high): point for point in curve.points} for curve in curves]
    for bounds in sorted(ages):
        cells = []
        for curve, known in zip(curves, points, strict=True):
            point = known.get(bounds)
            cells.append("-" if point is None else written(point.interval.mean, curve.measure))
        yield CurveRow(ages[bounds], tuple(cells))


def written(value: float, measure: Measure) -> str:
    """Return a value as text: shares in per cent, large numbers with k, M or G.

    >>> written(0.125, Measure("f1", "F1", share=True))
    '12.5'
    >>> [written(value, Measure("t", "t", share=False)) for value in (0.5, 1234.5, 2.5e6)]
    ['0.5', '1.23k', '2.5M']
    """
    if measure.share:
        return f"{100 * value:.1f}".removesuffix(".0")
    scale, unit = next(
        ((scale, unit) for scale, unit in UNITS.items() if abs(value) >= scale), (1.0, "")
    )
    return f"{value / scale:.3g}{unit}"
