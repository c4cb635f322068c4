"""The percentiles of times and costs: the median, the 95th and the 99th.

Between two values they are interpolated linearly: of n sorted values, the p-th percentile is at the
place 1 + (n - 1) p / 100. This is method 7 of Hyndman and Fan (1996) and numpy's default.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RANKS = (50, 95, 99)
DEFINITION = "linear interpolation (Hyndman and Fan, method 7)"


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Three percentiles of `n` values, and the sum of the values."""

    p50: float
    p95: float
    p99: float
    n: int
    total: float


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return the percentiles of some values; None if there are none.

    >>> percentiles([4.0, 1.0, 2.0, 3.0])
    Percentiles(p50=2.5, p95=3.8499999999999996, p99=3.9699999999999998, n=4, total=10.0)
    """
    if not values:
        return None
    p50, p95, p99 = np.percentile(np.asarray(values, dtype=np.float64), RANKS, method="linear")
    return Percentiles(float(p50), float(p95), float(p99), len(values), float(sum(values)))
