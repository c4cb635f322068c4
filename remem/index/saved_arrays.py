"""Indexes that take long to build: kept as arrays, with the memory that they are of."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@runtime_checkable
class KeptArrays(Protocol):
    """A dense or lexical index that is kept as arrays, as it takes long to build."""

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return everything except the vectors that `restore` needs."""

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`; the vectors must already be added."""
