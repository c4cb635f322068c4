"""Gists or facts stored in a file as JSON lines and read one by one, when needed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from remem.errors import DamagedIndexError
from remem.files.adapters import adapter
from remem.types import Fact, Gist

Item = TypeVar("Item", Gist, Fact)


class StoredItems(Sequence[Item], Generic[Item]):
    """A list of stored items followed by added ones.

    Args:
        kind: Gist or Fact.
        lines: The JSON of the items.
        ends: The position of each line's end.
        earlier: The number of items of this kind that come before them.
    """

    def __init__(
        self, kind: type[Item], lines: NDArray[np.uint8], ends: NDArray[np.int64], earlier: int
    ) -> None:
        self._reader: TypeAdapter[Item] = adapter(kind)
        self._letter = kind.__name__[0].lower()
        self._lines = lines
        self._ends = ends
        self._earlier = earlier
        self._added: list[Item] = []

    def append(self, item: Item) -> None:
        """Add an item, which is kept in memory only."""
        self._added.append(item)

    def __len__(self) -> int:
        return len(self._ends) + len(self._added)

    def __iter__(self) -> Iterator[Item]:
        return (self[at] for at in range(len(self)))

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at >= len(self._ends):
            return self._added[at - len(self._ends)]
        begin, end = int(self._ends[at - 1]) if at else 0, int(self._ends[at])
        name = f"{self._letter}{self._earlier + at + 1}"
        try:
            item: Item = self._reader.validate_json(self._lines[begin:end].tobytes())
        except ValidationError as error:
            raise _damaged(name, error.errors()[0]["msg"]) from error
        if item.id != name:
            raise _damaged(name, f"it has the id {item.id!r}")
        return item


def as_lines(kind: type[Item], items: Iterable[Item]) -> dict[str, NDArray[np.generic]]:
    """Return items as JSON `lines`, and the position of each line's end as `ends`."""
    writer = adapter(kind)
    lines = [writer.dump_json(item) + b"\n" for item in items]
    ends = np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    return {"lines": np.frombuffer(b"".join(lines), dtype=np.uint8), "ends": ends}


def _damaged(name: str, reason: str) -> DamagedIndexError:
    return DamagedIndexError(
        f"item {name} of a stored memory cannot be read ({reason}); delete the folder of the "
        f"memory to index again"
    )
