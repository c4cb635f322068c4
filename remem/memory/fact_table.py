"""Match facts by subject, predicate and object, for find_entity_contexts.

A name matches the equal name, if the table contains it. Otherwise it matches all names that contain
it, ignoring case. This is decided on the whole table before other conditions apply, so a name that
exists never matches longer names.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remem.memory.name_table import NameTable
from remem.protocols import Mask
from remem.types import Fact

Columns = NDArray[np.int32]


class FactTable:
    """The triples of one graph as columns of interned names."""

    def __init__(self) -> None:
        self.phrases = NameTable()
        self.predicates = NameTable()
        self._columns: list[Columns] = [np.empty((3, 0), dtype=np.int32)]

    @property
    def columns(self) -> Columns:
        """Return the numbers of subjects, predicates and objects, as an array of shape (3, n)."""
        if len(self._columns) > 1:
            self._columns = [np.concatenate(self._columns, axis=1)]
        return self._columns[0]

    def add(self, facts: Sequence[Fact]) -> None:
        """Append facts."""
        rows = [
            (
                self.phrases.number(fact.subject),
                self.predicates.number(fact.predicate),
                self.phrases.number(fact.object),
            )
            for fact in facts
        ]
        self._columns.append(np.array(rows, dtype=np.int32).reshape(-1, 3).T)

    def restore(self, columns: Columns) -> None:
        """Restore the columns of a saved table; the names must already be restored."""
        self._columns = [columns]

    def matching(self, *, subject: str | None, predicate: str | None, obj: str | None) -> Mask:
        """Return a mask of the facts that match all given fields, shape (n,)."""
        fields = ((subject, self.phrases), (predicate, self.predicates), (obj, self.phrases))
        passes = np.ones(self.columns.shape[1], dtype=np.bool_)
        for column, (name, table) in zip(self.columns, fields, strict=True):
            if name is not None:
                passes &= _are_any(column, table.matching(name), len(table.numbers))
        return passes


def _are_any(column: Columns, wanted: Sequence[int], names: int) -> Mask:
    if len(wanted) == 1:
        return np.asarray(column == wanted[0])
    among = np.zeros(names, dtype=np.bool_)
    among[list(wanted)] = True
    return np.asarray(among[column])
