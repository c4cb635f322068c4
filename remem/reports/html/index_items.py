"""The texts behind the ids of a run: gists and facts of its stored indexes, and messages.

No index is built. A history has no gists or facts here if its index is missing or was made by other
code.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from remem.bundle.buildable import OF_TEXTS, buildable
from remem.files.plain_text import cut
from remem.index.stored_arrays import holds_arrays, naming_damage, open_arrays
from remem.memory.stored_memory import FORMAT, stored_items
from remem.reports.html.questions import Json
from remem.results.run import Run
from remem.run.imported_answers import IMPORTED
from remem.run.index_cache import IndexCache
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


@dataclass(frozen=True, slots=True)
class Items:
    """The stored items of histories, by history number.

    `missing` is the number of histories that have no index in the cache.
    """

    histories: Mapping[int, Json] = field(default_factory=dict)
    missing: int = 0

    @property
    def empty(self) -> bool:
        """Whether no history has a gist or a fact."""
        return not any(kept["gists"] or kept["facts"] for kept in self.histories.values())


ReadItems = Callable[[Run, Mapping[str, int]], Items]
"""Returns the stored items of these histories of a run; `read_items` is one."""


def read_items(run: Run, numbers: Mapping[str, int]) -> Items:
    """Return the stored items of these histories as JSON values, by history number.

    The result is empty if the data has changed since the run, or is only known from an import.

    Raises:
        FileNotFoundError: The data of the run is missing.
    """
    if run.config.settings.dataset.source.target == IMPORTED:
        return Items()
    cache, missing = IndexCache(run.config), 0
    benchmark, values = buildable(run.config, run.folder, OF_TEXTS).build_benchmark(), {}
    if {file.sha256 for file in benchmark.files()} != {file.sha256 for file in run.manifest.data}:
        return Items()  # the ids of the records could have other texts now
    for history in benchmark.histories():
        if history.id not in numbers:
            continue
        kept = KeptIndex()
        try:
            cache.index(kept, history)
        except NotKeptError:
            missing += 1
        values[numbers[history.id]] = _history_values(history, kept)
    return Items(values, missing)


def named_items(items: Items, questions: Iterable[Json]) -> dict[int, Json]:
    """Return the items of each history that appear in the traces of these questions."""
    named: defaultdict[int, set[str]] = defaultdict(set)
    for question in questions:
        ids = named[question["history"]]
        ids.update(message for message, *_ in question.get("evidence", ()))
        ids.update(chain.from_iterable(step.get("seen", ()) for step in question.get("steps", ())))
        for item, sources in question.get("items", ()):
            ids.update((item, *sources))
    return {
        number: {
            "messages": {
                message_id: said
                for message_id, said in kept["messages"].items()
                if message_id in ids
            },
            "gists": [gist for gist in kept["gists"] if gist[0] in ids],
            "facts": [fact for fact in kept["facts"] if fact[0] in ids],
        }
        for number, kept in items.histories.items()
        if (ids := named[number])
    }


def _history_values(history: History, kept: KeptIndex) -> Json:
    return {
        "messages": {
            message.id: [message.speaker, message.date, cut(message.text)]
            for message in history.messages()
        },
        "gists": [[*_common(gist), cut(gist.text)] for gist in kept.gists],
        "facts": [[*_common(fact), *map(cut, _triple(fact))] for fact in kept.facts],
        "synonyms": kept.synonyms,
    }


def _common(item: Gist | Fact) -> Iterator[Any]:
    yield from (item.id, item.when, item.episode_id, list(item.source))


def _triple(fact: Fact) -> tuple[str, str, str]:
    return fact.subject, fact.predicate, fact.object
