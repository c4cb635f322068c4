"""Gists or facts stored in a file as JSON lines and read one by one, when needed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from remem.files.adapters import adapter
from remem.protocols import DamagedIndexError

Item = TypeVar("Item")


class StoredItems(Sequence[Item], Generic[Item]):
    """A list of stored items followed by added ones.

    `check` is called with the range of bytes before they are read.
    """

    def __init__(
        self,
        kind: type[Item],
        lines: NDArray[np.uint8],
        ends: NDArray[np.int64],
        check: Callable[[int, int], None],
    ) -> None:
        self._reader = adapter(kind)
        self._check = check
        self._lines = lines
        self._ends = ends
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
        self._check(begin, end)
        try:
            return self._reader.validate_json(self._lines[begin:end].tobytes())
        except ValidationError as error:
            raise DamagedIndexError(
                f"item {at} of a mapped memory cannot be read ({error.errors()[0]['msg']}); "
                f"delete the folder of the memory to index again"
            ) from error


def as_lines(kind: type[Item], items: Iterable[Item]) -> dict[str, NDArray[np.generic]]:
    """Return items as JSON `lines`, and the position of each line's end as `ends`."""
    writer = adapter(kind)
    lines = [writer.dump_json(item) + b"\n" for item in items]
    ends = np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    return {"lines": np.frombuffer(b"".join(lines), dtype=np.uint8), "ends": ends}
