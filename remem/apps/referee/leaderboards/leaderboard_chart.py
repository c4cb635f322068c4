"""Chart coordinates for a leaderboard: the score of each system against what a question costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from remem.apps.referee.leaderboards.leaderboard import COSTS, Board, Row, cost_of
from remem.reports.html.chart import Tick, nice_ticks
from remem.results.costs import format_number

HEIGHT, BOTTOM, TOP = 250, 44, 12
"""The height of a chart and its margins, in pixels."""
LEFT, RIGHT = 9.0, 97.0
"""Where the horizontal axis begins and ends, in per cent of the width."""
FAR = 30
"""From this ratio of the largest cost to the smallest the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class Point:
    """A system: its place in per cent and pixels, and whether it is on the front."""

    x: float
    y: float
    front: bool
    model: str
    tip: str


@dataclass(frozen=True, slots=True)
class TradeChart:
    """A chart that is ready to draw."""

    title: str
    across: str
    points: tuple[Point, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def trade_charts(board: Board) -> list[TradeChart]:
    """Return a chart for each measure that two systems of a board have."""
    return [chart for measure, name in COSTS if (chart := _chart(board, measure, name))]


def _chart(board: Board, measure: str, name: str) -> TradeChart | None:
    found = [
        (row, cost) for row in board.rows if (cost := cost_of(row.system.run, measure)) is not None
    ]
    if len(found) < 2 or not any(cost for _, cost in found):
        return None
    axis = _axis([cost for _, cost in found])
    share = all(row.score.share for row, _ in found)
    found.sort(key=lambda each: measure in each[0].fronts)  # the front is drawn over the others
    tops = [0.0, 0.25, 0.5, 0.75, 1.0] if share else nice_ticks(max(r.score.mean for r, _ in found))
    return TradeChart(
        f"{board.heading} against {name.partition(',')[0]}",
        name,
        tuple(_point(row, cost, measure, axis, tops[-1]) for row, cost in found),
        tuple(Tick(axis.place(tick), format_number(tick)) for tick in axis.ticks),
        tuple(Tick(_height(top, tops[-1]), f"{100 * top if share else top:,.10g}") for top in tops),
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """A horizontal axis from its first to its last tick."""

    ticks: Sequence[float]
    logarithmic: bool

    def place(self, cost: float) -> float:
        """Return the place of a cost in per cent of the width."""
        first, last, here = (
            log10(value) if self.logarithmic else value
            for value in (self.ticks[0], self.ticks[-1], cost)
        )
        return round(LEFT + (RIGHT - LEFT) * (here - first) / (last - first), 2)


def _axis(costs: Sequence[float]) -> _Axis:
    least, most = min(costs), max(costs)
    if least > 0 and most / least >= FAR:
        powers = range(floor(log10(least)), ceil(log10(most)) + 1)
        return _Axis([10.0**power for power in powers], logarithmic=True)
    return _Axis(nice_ticks(most), logarithmic=False)


def _point(row: Row, cost: float, measure: str, axis: _Axis, top: float) -> Point:
    mean = f"{100 * row.score.mean:.1f}" if row.score.share else f"{row.score.mean:.3g}"
    return Point(
        axis.place(cost),
        _height(row.score.mean, top),
        measure in row.fronts,
        row.system.run.llm,
        f"{row.system.name}: {mean} at {format_number(cost)}",
    )


def _height(value: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)
