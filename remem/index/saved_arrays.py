"""Indexes that take long to build and are therefore saved as arrays with their memory."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@runtime_checkable
class KeptArrays(Protocol):
    """A dense or lexical index that is saved as arrays, because it takes long to build."""

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return everything except the vectors that `restore` needs."""

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`; the vectors must already be added."""
