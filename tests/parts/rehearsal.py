"""A benchmark, memories and a reader that record what they are given and fail on demand.

Tests allow them with run.packages=[rehearsal]; the fixture `rehearsal` imports the module afresh.
"""

import errno
import threading
from collections.abc import Sequence
from pathlib import Path

from remem.errors import BudgetReachedError, EmptyGraphError
from remem.protocols import DataFile
from remem.types import (
    Answer,
    Episode,
    Evidence,
    Gold,
    History,
    Message,
    Passage,
    Query,
    Question,
    Usage,
)

SEEN: list[History | Query | Evidence] = []
INDEXED: list[str] = []
ASKED: list[str] = []
TOLD: list[Question] = []
BENCHMARKS: list[int] = []
FAILING: set[str] = set()
"""Ids of questions that end in an error."""
STOPPING: set[str] = set()
"""Ids of questions and histories at which a budget is reached."""
BROKEN: set[str] = set()
"""Ids of histories that cannot be indexed; "saving" stands for the disk."""
EMPTY: set[str] = set()
"""Ids of histories from which nothing is extracted."""
LOADED: list[str] = []
ARRIVED = threading.Event()


class Tiny:
    """Histories h1, h2, ... with two event statements and two questions; every gold is SECRET."""

    def __init__(self, *, seed: int, histories: int) -> None:
        BENCHMARKS.append(seed)
        self._names = [f"h{number}" for number in range(1, histories + 1)]
        self._seed = seed

    def histories(self) -> Sequence[History]:
        statements = (
            "E1 was the R1 of E2 from 1960 to 1965.",
            "E2 was the R1 of E3 from 1962 to 1967.",
        )
        messages = [Message(f"m{at}", "", text) for at, text in enumerate(statements, start=1)]
        episodes = tuple(Episode(message.id, (message,)) for message in messages)
        return [History(name, episodes) for name in self._names]

    def questions(self, history_id: str) -> Sequence[Question]:
        gold = Gold(("SECRET",), "kind", evidence=("m1",))
        texts = ("Which entity was the R1 of E2 in 1965?", "Was it nice?")
        return [
            Question(Query(f"{history_id}/{index}", history_id, index, text), gold)
            for index, text in enumerate(texts)
        ]

    def files(self) -> Sequence[DataFile]:
        return (DataFile("tiny", f"{self._seed:064}"),)


def _stop_at(name: str) -> None:
    if name in STOPPING:
        raise BudgetReachedError(f"no money for {name}")


class Memory:
    def index(self, history: History) -> None:
        SEEN.append(history)
        _stop_at(history.id)
        if history.id in BROKEN:
            raise ValueError(f"{history.id} is unreadable")
        INDEXED.append(history.id)

    def recall(self, query: Query) -> Evidence:
        SEEN.append(query)
        ASKED.append(query.id)
        _stop_at(query.id)
        if query.id in FAILING:
            raise TimeoutError("no answer in time")
        return Evidence(passages=(Passage("p1", "The boat is red.", None, ("m1",)),))


class Patient(Memory):
    """A memory that recalls for one of its questions only after `ARRIVED` is set."""

    waits_at = "h1/0"

    def recall(self, query: Query) -> Evidence:
        if query.id == self.waits_at and not ARRIVED.wait(timeout=20):
            raise TimeoutError("nobody told that the time has come")
        return super().recall(query)


class PatientAtTheEnd(Patient):
    waits_at = "h2/1"


class Told(Memory):
    def see_gold(self, questions: Sequence[Question]) -> None:
        TOLD.extend(questions)


class Accounting(Memory):
    """Counts its usage; it fails on an episode of histories in FAILING, and is empty for EMPTY."""

    def __init__(self) -> None:
        self.index_usage = Usage(2, 30, 4)
        self.failures: tuple[tuple[str, str], ...] = ()

    def index(self, history: History) -> None:
        super().index(history)
        if history.id in EMPTY:
            raise EmptyGraphError(f"no gist and no fact was extracted from history {history.id}")
        if history.id in FAILING:
            self.failures = (("m1", "no usable reply"),)

    def save(self, folder: Path) -> None:
        (folder / "index.txt").write_text("whole")

    def load(self, folder: Path) -> None:
        LOADED.append(folder.name)


class Lacking(Memory):
    """A memory whose package is not installed."""

    def __init__(self) -> None:
        raise ImportError("nosuch is not installed: pip install nosuch==1.0")


class Kept(Memory):
    """A memory whose index is a file that says "whole"."""

    def save(self, folder: Path) -> None:
        (folder / "index.txt").write_text("half")
        if "saving" in BROKEN:
            raise OSError(errno.ENOSPC, "No space left on device")
        (folder / "index.txt").write_text("whole")

    def load(self, folder: Path) -> None:
        if (folder / "index.txt").read_text() != "whole":
            raise ValueError(f"{folder / 'index.txt'}: damaged")


class Reader:
    def read(self, query: Query, evidence: Evidence) -> Answer:
        SEEN.extend((query, evidence))
        return Answer(f"answer to {query.id}", 7)
