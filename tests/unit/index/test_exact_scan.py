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


@pytest.mark.parametrize(("admitted", "scored"), [(49, 49), (50, 1000), (1000, 1000)])
def test_below_one_row_in_twenty_the_admitted_ones_alone_are_scored(
    admitted: int, scored: int
) -> None:
    plain = np.random.default_rng(0).normal(size=(1000, 8)).astype(np.float32)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    chosen = np.sort(np.random.default_rng(1).permutation(1000)[:admitted])
    rows = plain.view(Watched)
    hits = scan(rows, plain[5], chosen, 10)
    assert rows.scored[0] == scored
    best = sorted((-round(float(plain[at] @ plain[5]), 6), int(at)) for at in chosen)[:10]
    assert [position for position, _ in hits] == [position for _, position in best]


def test_the_border_lies_at_one_row_in_twenty() -> None:
    rows = np.zeros((100, 2), dtype=np.float32)
    assert are_few(np.arange(4), rows)
    assert not are_few(np.arange(5), rows)
