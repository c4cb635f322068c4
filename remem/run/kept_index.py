"""Read the items of a stored index without building one."""

from dataclasses import dataclass
from pathlib import Path

from remem.index.stored_arrays import holds_arrays, naming_damage, open_arrays
from remem.memory.stored_memory import FORMAT, stored_items
from remem.types import Evidence, Fact, Gist, History, Query


class NotKeptError(Exception):
    """The cache has no index of a history."""


@dataclass(slots=True)
class KeptIndex:
    """A memory that only reads the gists and facts of a stored index.

    `synonyms` are pairs of positions in `gists`, one for each synonymy edge.
    """

    gists: tuple[Gist, ...] = ()
    facts: tuple[Fact, ...] = ()
    synonyms: tuple[tuple[int, int], ...] = ()

    def index(self, history: History) -> None:
        """Raise NotKeptError: the index of the history is not stored, and a report builds none."""
        raise NotKeptError(history.id)

    def recall(self, query: Query) -> Evidence:
        """Return no evidence, because a report asks no questions."""
        return Evidence()

    def save(self, folder: Path) -> None:
        """Write nothing, because a report builds no index."""

    def load(self, folder: Path) -> None:
        """Read the gists, facts and synonymy edges; the index of another kind of memory has none.

        Raises:
            DamagedIndexError: A file is damaged.
        """
        with naming_damage(folder, "stored memory"):
            if holds_arrays(folder, FORMAT):
                arrays = open_arrays(folder, FORMAT)
                gists, facts = stored_items(arrays)
                self.gists, self.facts = tuple(gists), tuple(facts)
                self.synonyms = tuple((i, j) for i, j in arrays["synonyms"].tolist())
