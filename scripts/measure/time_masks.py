"""Compare time filters over scopes of mixed granularity with two datetime64 columns of numpy."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from measure.beside import beside, scaled
from measure.line import Goal, MeasuredLine, MemoryGrowth
from remem.protocols import Mask
from remem.temporal.scopes import ScopeTable, TimeFilter
from remem.time_scope import TimePoint, TimeScope

Days = NDArray[np.datetime64]

AT_ONCE = 20
MOST_OF_PEER = 2.0
FIRST, LAST = 1950, 1959
"""The first and last year of the filter."""


def measure_masks(sizes: tuple[int, ...], repeats: int) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Filter by start and end at each size, and check that both give the same result.

    Raises:
        ValueError: They do not.
    """
    medians = []
    for size in sizes:
        compared = Compared.of(size)
        compared.check()
        took, other = (
            scaled(sample, 1e3 / AT_ONCE)
            for sample in beside(compared.ours, compared.peer, repeats)
        )
        medians.append(took.median)
        yield MeasuredLine(
            name=f"time filter, {size:,} scopes",
            unit="ms",
            ours=took,
            against=f"two comparisons of datetime64, numpy {np.__version__}",
            peer=other,
            goal=Goal("<=", MOST_OF_PEER) if size == max(sizes) else None,
            note="ours keeps granularities, open ends and undated items apart",
        )
    yield MemoryGrowth("time filter", "ms", sizes, tuple(medians))


@dataclass(frozen=True, slots=True)
class Compared:
    """The same intervals of days in the memory and as two columns."""

    table: ScopeTable
    starts: Days
    ends: Days

    @classmethod
    def of(cls, size: int) -> "Compared":
        """Return random intervals."""
        rng = np.random.default_rng(size)
        starts = np.datetime64("1900-01-01") + rng.integers(0, 40_000, size)
        ends = starts + rng.integers(0, 2_000, size)
        table = ScopeTable()
        table.add([_scope(*days) for days in zip(starts.tolist(), ends.tolist(), strict=True)])
        return cls(table, starts, ends)

    def check(self) -> None:
        """Raise ValueError if the masks differ."""
        if not np.array_equal(self.ours(), self.peer()):
            raise ValueError(f"the masks of {len(self.starts)} scopes differ: see ScopeTable.mask")

    def ours(self) -> Mask:
        """Filter several times, like the tools."""
        time_filter = TimeFilter(TimePoint(FIRST), TimePoint(LAST))
        return [self.table.mask(time_filter, undated="drop") for _ in range(AT_ONCE)][-1]

    def peer(self) -> Mask:
        """Filter as many times, with two comparisons."""
        least, most = np.datetime64(f"{FIRST}-01-01"), np.datetime64(f"{LAST}-12-31")
        return [(self.starts >= least) & (self.ends <= most) for _ in range(AT_ONCE)][-1]


def _scope(start: date, end: date) -> TimeScope:
    return TimeScope(start_time=_point(start), end_time=_point(end))


def _point(day: date) -> TimePoint:
    return TimePoint(day.year, day.month, day.day)
