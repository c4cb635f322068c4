"""Put instructions before the queries of a model, and scale its vectors to length one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.protocols import QueryTarget, Vectors


@dataclass(frozen=True, slots=True)
class QueryInstructions:
    """The instructions for queries, by target; `format` is a template with "{instruction}".

    Some models expect an instruction before each query. A model must get the wording that it was
    made for. The wording in conf/embedder is that of NV-Embed-v2 and of the released code.
    """

    passage: str
    fact: str
    format: str

    def __post_init__(self) -> None:
        if "{instruction}" not in self.format:
            raise ValueError(
                f"the format of an instruction is {self.format!r}, expected a text with "
                f"'{{instruction}}'"
            )

    def prefix(self, target: QueryTarget) -> str:
        """Return the prefix of queries for a kind of target."""
        instruction = self.fact if target == "fact" else self.passage
        return self.format.replace("{instruction}", instruction)


SHOWN = 40
"""Maximum characters of a text in an error."""


def unit_rows(
    vectors: NDArray[np.float32], texts: Sequence[str], *, dimension: int, model: str
) -> Vectors:
    """Scale each vector to length one; if that is impossible, raise an error that names the text.

    Deviation: the released servers replace a failed vector by zeros and go on. Here a failed vector
    is an error, because a search would never find a zero vector.
    """
    if vectors.shape != (len(texts), dimension):
        raise ValueError(
            f"{model} returned vectors of shape {vectors.shape} for {len(texts)} texts, expected "
            f"({len(texts)}, {dimension}); correct the dimension of the embedder"
        )
    exact = vectors.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1)
    wrong = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if wrong.size:
        at = int(wrong[0])
        flaw = "only zeros" if norms[at] == 0 else "a number that is not finite"
        raise ValueError(f"{model} returned {flaw} for {place_of(texts, at)}")
    return np.asarray(exact / norms[:, None], dtype=np.float32)


def place_of(texts: Sequence[str], at: int) -> str:
    """Describe a text in an error message by its number and its beginning."""
    return f"text {at} of {len(texts)}, which starts with {texts[at][:SHOWN]!r}"
