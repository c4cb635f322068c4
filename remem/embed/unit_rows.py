"""Convert a model's output to float32 unit vectors, or raise an error that names the text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remem.protocols import Vectors

SHOWN = 40
"""Maximum characters of a text in an error."""


def unit_rows(
    vectors: NDArray[np.float32], texts: Sequence[str], *, dimension: int, model: str
) -> Vectors:
    """Scale each vector to length one.

    Deviation: the released servers turn a failed vector into zeros and go on. Here a failed vector
    is an error, because a zero vector would never be found.
    """
    if vectors.shape != (len(texts), dimension):
        raise ValueError(
            f"{model} returned vectors of shape {vectors.shape} for {len(texts)} texts, expected "
            f"({len(texts)}, {dimension}); set the embedder's dimension to that of the model"
        )
    exact = vectors.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1)
    wrong = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if wrong.size:
        at = int(wrong[0])
        found = "only zeros" if norms[at] == 0 else "a number that is not finite"
        raise ValueError(
            f"{model} returned {found} for text {at} of {len(texts)}, which starts "
            f"{texts[at][:SHOWN]!r}"
        )
    return np.asarray(exact / norms[:, None], dtype=np.float32)
