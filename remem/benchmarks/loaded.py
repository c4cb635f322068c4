"""A benchmark in memory, with the checks that every data set must pass."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from remem.benchmarks.json_files import is_blank
from remem.intake import Account
from remem.protocols import Benchmark, DataFile, KeepsAccounts
from remem.types import History, Question


class LoadedBenchmark:
    """Histories with their questions, in the order given."""

    def __init__(
        self,
        asked: Iterable[tuple[History, Sequence[Question]]],
        files: Sequence[DataFile],
        accounts: Sequence[Account] = (),
    ) -> None:
        pairs = [(history, tuple(questions)) for history, questions in asked]
        self._histories = tuple(history for history, _ in pairs)
        self._questions = {history.id: questions for history, questions in pairs}
        self._files = tuple(files)
        self._accounts = tuple(accounts)
        check_unique([history.id for history in self._histories], "history ids")
        check_unique([q.query.id for _, questions in pairs for q in questions], "query ids")
        for history, questions in pairs:
            check_history(history)
            check_questions(questions)

    def histories(self) -> Sequence[History]:
        """Return all histories, in a stable order."""
        return self._histories

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the questions of one history, in the dataset's order."""
        if history_id not in self._questions:
            known = [*self._questions]
            shown = ", ".join([*known[:10], *(["..."] if len(known) > 10 else [])])
            raise ValueError(f"unknown history {history_id!r}; choose one of {shown}")
        return self._questions[history_id]

    def files(self) -> Sequence[DataFile]:
        """Return the files that the data came from."""
        return self._files

    def accounts(self) -> Sequence[Account]:
        """Return counts of what the loader kept, left out or changed."""
        return self._accounts


class HoldsLoaded(Protocol):
    """What a `BenchmarkOnLoaded` needs: the benchmark in memory, as an attribute or a property."""

    @property
    def _loaded(self) -> LoadedBenchmark: ...


class BenchmarkOnLoaded:
    """A benchmark whose histories, questions, files and accounts are those of its `_loaded`."""

    def histories(self: HoldsLoaded) -> Sequence[History]:
        """Return all histories, in a stable order."""
        return self._loaded.histories()

    def questions(self: HoldsLoaded, history_id: str) -> Sequence[Question]:
        """Return the questions of one history, in the dataset's order."""
        return self._loaded.questions(history_id)

    def files(self: HoldsLoaded) -> Sequence[DataFile]:
        """Return the files that the data came from."""
        return self._loaded.files()

    def accounts(self: HoldsLoaded) -> Sequence[Account]:
        """Return counts of what the loader kept, left out or changed."""
        return self._loaded.accounts()


def accounts_of(benchmark: Benchmark) -> Sequence[Account]:
    """Return the counts of what a benchmark kept, left out or changed; empty if it has none."""
    return benchmark.accounts() if isinstance(benchmark, KeepsAccounts) else ()


def check_history(history: History) -> None:
    """Raise ValueError for repeated ids, no episodes, or an episode without messages."""
    if not history.episodes:
        raise ValueError(f"{history.id} has no episodes, expected at least one")
    check_unique([episode.id for episode in history.episodes], f"episode ids of {history.id}")
    check_unique([message.id for message in history.messages()], f"message ids of {history.id}")
    for episode in history.episodes:
        if not episode.messages:
            raise ValueError(f"{episode.id} of {history.id} has no messages; remove this episode")


def check_questions(questions: Sequence[Question]) -> None:
    """Raise ValueError for a question without a text, or with a missing or blank gold answer."""
    for question in questions:
        if is_blank(question.query.text):
            raise ValueError(f"{question.query.id} has an empty question, expected some text")
        if not question.gold.answers or any(map(is_blank, question.gold.answers)):
            raise ValueError(f"{question.query.id} has an empty gold answer, expected some text")


def check_unique(ids: Sequence[str], what: str) -> None:
    """Raise ValueError if an id is repeated."""
    seen: set[str] = set()
    for identifier in ids:
        if identifier in seen:
            raise ValueError(f"{identifier!r} occurs twice in the {what}, expected once")
        seen.add(identifier)
