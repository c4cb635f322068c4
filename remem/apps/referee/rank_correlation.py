"""Kendall's tau-b: how similar two orders of the same systems are, with ties."""

import numpy as np

from remem.metrics.intervals import Floats

SAME = 1e-9
"""Scores that differ by less are tied: two totals of the same verdicts may differ in the last
bit."""


def tau_b(first: Floats, second: Floats) -> Floats:
    """Return Kendall's tau-b of each row of two arrays of shape (rows, systems).

    The value is 1 if both orders of a row are the same, and -1 if one order is the reverse of the
    other. It is NaN if all systems are tied in one of the orders.

    >>> tau_b(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])).round(4).tolist()
    [0.3333]
    """
    ours, theirs = _signs(first), _signs(second)
    agreed = (ours * theirs).sum(axis=1)
    untied = np.sqrt((ours**2).sum(axis=1) * (theirs**2).sum(axis=1))
    taus: Floats = np.full(len(agreed), np.nan)
    np.divide(agreed, untied, out=taus, where=untied > 0)
    return taus


def _signs(scores: Floats) -> Floats:
    """Return, for each row and pair of systems, the sign of the first score minus the second."""
    before, after = np.triu_indices(scores.shape[1], k=1)
    gaps = scores[:, before] - scores[:, after]
    return np.where(np.abs(gaps) < SAME, 0.0, np.sign(gaps))
