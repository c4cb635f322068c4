"""A metric of one's own over the records of a run: python my_metric.py results/runs/...

A score is a function of records, so nothing is run again; the interval is that of all our scores.
"""

import sys
from pathlib import Path

import numpy as np

from remem.metrics.intervals import mean_interval
from remem.run.store import read_records


def starts_alike(answer: str, golds: tuple[str, ...]) -> float:
    """Return 1.0 where the answer begins with the first word of a gold answer."""
    first = answer.lower().split()[:1]
    return float(any(first == gold.lower().split()[:1] for gold in golds))


if __name__ == "__main__":
    answered = [one for one in read_records(Path(sys.argv[1])) if one.status == "ok"]
    values = np.array([starts_alike(one.answer, one.gold.answers) for one in answered])
    clusters = [one.gold.group for one in answered]
    found = mean_interval(values, resamples=9999, seed=0, clusters=clusters)
    low, mean, high = (100 * number for number in (found.low, found.mean, found.high))
    print(f"starts alike: {mean:.1f} [{low:.1f}, {high:.1f}], n = {found.n}")
