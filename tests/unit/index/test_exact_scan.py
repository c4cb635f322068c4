"""The exact scan looks at few admitted rows alone, and ranks them as it does many."""

import numpy as np
import pytest

from remem.index.exact_scan import are_few, scan


class Watched(np.ndarray):
    """Rows that note how many of them are scored at once."""

    scored: list[int]

    def __array_finalize__(self, made_from: object) -> None:
        self.scored = getattr(made_from, "scored", [])

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> np.ndarray:
        if ufunc is np.vecdot:
            self.scored.append(len(self))
        return getattr(ufunc, method)(*map(np.asarray, inputs), **options)


@pytest.mark.parametrize(("admitted", "alone"), [(90, True), (110, False), (1000, False)])
def test_below_one_row_in_ten_the_admitted_ones_alone_are_scored(
    admitted: int, alone: bool
) -> None:
    plain = np.random.default_rng(0).normal(size=(1000, 8)).astype(np.float32)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    chosen = np.sort(np.random.default_rng(1).permutation(1000)[:admitted])
    rows = plain.view(Watched)
    hits = scan(rows, plain[5], chosen, 10)
    assert rows.scored[0] == (admitted if alone else chosen[-1] - chosen[0] + 1)
    best = sorted((-round(float(plain[at] @ plain[5]), 6), int(at)) for at in chosen)[:10]
    assert [position for position, _ in hits] == [position for _, position in best]


def test_rows_that_stand_together_are_scored_where_they_are() -> None:
    rows = np.eye(1000, 8, dtype=np.float32).view(Watched)
    assert scan(rows, np.eye(8, dtype=np.float32)[4], np.arange(3, 603), 1) == [(4, 1.0)]
    assert rows.scored == [600]


def test_the_border_lies_at_one_row_in_ten() -> None:
    rows = np.zeros((100, 2), dtype=np.float32)
    assert are_few(9, rows)
    assert not are_few(10, rows)
