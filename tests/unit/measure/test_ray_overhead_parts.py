"""How long a run takes on a cluster, computed by hand."""

import pytest
from measure.ray_overhead_parts import Overhead

FOUND = Overhead(start=10.0, task=1.0, call=0.5, calls_per_second=100.0, keeper_cpu=0.01)


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        # A history of n calls takes 1 + n * (1.5 + 0.5) / 4 seconds: 21, 11 and 31.
        (1, 10 + 21 + 11 + 31),
        (2, 10 + 11 + 31),  # the second worker is free first and takes the third
        (64, 10 + 31),  # no history is divided
    ],
)
def test_histories_go_one_by_one_to_the_worker_that_is_free_first(
    workers: int, expected: float
) -> None:
    took = FOUND.seconds([40, 20, 60], workers=workers, in_flight=4, latency=1.5)
    assert took == pytest.approx(expected)


def test_no_more_calls_are_made_than_the_keeper_keeps() -> None:
    took = FOUND.seconds([1_000] * 64, workers=64, in_flight=1_000, latency=1.5)
    assert took == pytest.approx(10 + 64_000 / 100)
