"""Wilson's interval of a share, which has a width even for shares of 0 and 1."""

from dataclasses import dataclass
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of `count` among `n` cases, with Wilson's 95% interval."""

    count: int
    n: int
    low: float
    high: float

    @property
    def mean(self) -> float:
        """The share, from 0 to 1."""
        return self.count / self.n


def share(count: int, n: int) -> Share:
    """Return the share of `count` among `n` independent cases, with its interval.

    >>> none = share(0, 10)  # high = z ** 2 / (10 + z ** 2) = 3.84 / 13.84
    >>> none.low, round(none.high, 4)
    (0.0, 0.2775)
    """
    if not 0 <= count <= n or n == 0:
        raise ValueError(
            f"count is {count} of n = {n}; expected n of at least 1 and a count from 0 to n"
        )
    mean, spread = count / n, _Z**2 / n
    centre = (mean + spread / 2) / (1 + spread)
    half = (mean * (1 - mean) * spread + spread**2 / 4) ** 0.5 / (1 + spread)
    low = centre - half if count else 0.0
    return Share(count, n, low, centre + half if count < n else 1.0)
