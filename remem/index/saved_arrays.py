"""Indexes that take long to build: kept as arrays, with the memory that they are of."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@runtime_checkable
class KeptArrays(Protocol):
    """A dense or lexical index that is kept as arrays, as it takes long to build."""

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs beside the vectors."""

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `stored` returned, the vectors having been added."""
