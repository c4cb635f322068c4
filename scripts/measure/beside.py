"""Time two actions alternately, so that other work on the machine slows both equally."""

import time
from collections.abc import Callable

from measure.line import Sample

Action = Callable[[], object]


def beside(
    ours: Action, peer: Action, repeats: int, clock: Callable[[], float] = time.process_time
) -> tuple[Sample, Sample]:
    """Time two actions alternately on `clock`, after a first round that is not counted."""
    rounds = [(timed(ours, clock), timed(peer, clock)) for _ in range(repeats + 1)][1:]
    return Sample.of([our for our, _ in rounds]), Sample.of([other for _, other in rounds])


def timed(action: Action, clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds that an action takes on a clock."""
    begun = clock()
    action()
    return clock() - begun


def scaled(sample: Sample, factor: float) -> Sample:
    """Return a sample with its values multiplied by a factor."""
    return Sample(sample.n, sample.median * factor, sample.low * factor, sample.high * factor)
