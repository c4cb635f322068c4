"""Charts of a leaderboard: the score of each system against what a question costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from remem.apps.referee.leaderboards.leaderboard import COSTS, Board, BoardRow, cost_of
from remem.reports.html.charts import (
    Chart,
    PlotMark,
    Tick,
    across_at,
    nice_ticks,
    percent_ticks,
    up_to,
)
from remem.results.costs import format_number

FAR = 30
"""The smallest ratio of the largest to the smallest cost for which the axis is logarithmic."""
FRONT = (
    "A filled point is on the Pareto front: no other system is at least as good in both score and "
    "cost and better in one of them."
)


def trade_charts(board: Board) -> list[Chart]:
    """Return a chart for each cost measure that at least two systems of a board have."""
    return [chart for measure, name in COSTS if (chart := _chart(board, measure, name))]


def _chart(board: Board, measure: str, name: str) -> Chart | None:
    priced = [
        (row, cost) for row in board.rows if (cost := cost_of(row.system.run, measure)) is not None
    ]
    if len(priced) < 2 or not any(cost for _, cost in priced):
        return None
    axis = _axis([cost for _, cost in priced])
    share = all(row.score.share for row, _ in priced)
    priced.sort(key=lambda pair: measure in pair[0].fronts)  # the front is drawn over the others
    tops = [1.0] if share else nice_ticks(max(row.score.mean for row, _ in priced))
    counts = tuple(Tick(up_to(top / tops[-1]), f"{top:,.10g}") for top in tops)
    return Chart(
        f"{board.heading} against {name.partition(',')[0]}",
        FRONT,
        "points",
        f"{name}, for a question",
        tuple(_mark(row, cost, measure, axis, tops[-1]) for row, cost in priced),
        tuple(Tick(axis.place(tick), format_number(tick)) for tick in axis.ticks),
        percent_ticks() if share else counts,
        unit="per cent" if share else "",
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """A horizontal axis from its first to its last tick."""

    ticks: Sequence[float]
    logarithmic: bool

    def place(self, cost: float) -> float:
        """Return the position of a cost on the axis."""
        first, last, here = (
            log10(value) if self.logarithmic else value
            for value in (self.ticks[0], self.ticks[-1], cost)
        )
        return across_at((here - first) / (last - first))


def _axis(costs: Sequence[float]) -> _Axis:
    least, most = min(costs), max(costs)
    if least > 0 and most / least >= FAR:
        powers = range(floor(log10(least)), ceil(log10(most)) + 1)
        return _Axis([10.0**power for power in powers], logarithmic=True)
    return _Axis(nice_ticks(most), logarithmic=False)


def _mark(row: BoardRow, cost: float, measure: str, axis: _Axis, top: float) -> PlotMark:
    mean = f"{100 * row.score.mean:.1f}" if row.score.share else f"{row.score.mean:.3g}"
    return PlotMark(
        axis.place(cost),
        up_to(row.score.mean / top),
        None,
        None,
        f"{row.system.name}: {mean} at {format_number(cost)}",
        kind="front" if measure in row.fronts else "behind",
        model=row.system.run.llm,
    )
