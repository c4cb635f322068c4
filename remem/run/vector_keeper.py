"""The vectors that all workers of a run share.

They have a process of their own, so that no call waits for the 16 MB of a long history's vectors.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from remem.llm.vector_store import VectorStore
from remem.protocols import Vectors

VectorsOf = tuple[str, str, int]
"""The call store next to the vectors, the name of their model, and their dimension."""


class VectorKeeper:
    """Serves the vectors of a run; safe to call from many threads.

    Vectors travel as one array of shape (keys, dimension), not as one array for each key.

    Args:
        folder: The folder that relative paths start from.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._vectors: dict[VectorsOf, VectorStore] = {}
        self._guard = Lock()

    def get_vectors(self, of: VectorsOf, keys: Sequence[str]) -> tuple[list[str], Vectors]:
        """Return the keys that have a stored vector, and these vectors."""
        found = self._vectors_of(of).get_many(keys)
        block = np.stack(list(found.values())) if found else np.empty((0, of[2]), np.float32)
        return list(found), block

    def put_vectors(self, of: VectorsOf, keys: Sequence[str], block: Vectors) -> None:
        """Store the vector of each key; they are on disk when this returns."""
        self._vectors_of(of).put_many(dict(zip(keys, block, strict=True)))

    def _vectors_of(self, of: VectorsOf) -> VectorStore:
        store, model, dimension = of
        with self._guard:
            if of not in self._vectors:
                self._vectors[of] = VectorStore(
                    store=str(self._folder / store), model=model, dimension=dimension
                )
            return self._vectors[of]
