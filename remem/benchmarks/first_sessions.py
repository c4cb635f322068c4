"""The beginning of one history with some of the questions it answers: a check for cents.

It is no benchmark: a score over so few questions shows nothing but that the line works.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import Benchmark, DataFile
from remem.types import History, Question


class FirstSessions:
    """The first sessions of a history and a seeded draw of the questions with all evidence there.

    Args:
        whole: The benchmark it is taken from.
        history: The id of the history.
        sessions: How many of its episodes are kept.
        questions: How many questions are drawn; they stay in the order of the data set.
        seed: Of the draw.
    """

    def __init__(
        self, *, whole: Benchmark, history: str, sessions: int, questions: int, seed: int
    ) -> None:
        asked = whole.questions(history)
        begun = _begun(whole, history, sessions)
        said = {message.id for message in begun.messages()}
        within = [
            question
            for question in asked
            if question.gold.evidence and said.issuperset(question.gold.evidence)
        ]
        if not 1 <= questions <= len(within):
            raise ValueError(
                f"questions is {questions}, expected 1 to {len(within)}: the number of questions "
                f"of {history} with all their evidence in its first {sessions} sessions"
            )
        drawn = np.random.default_rng(seed).choice(len(within), questions, replace=False)
        kept = [
            replace(within[position], query=replace(within[position].query, index=place))
            for place, position in enumerate(sorted(drawn.tolist()))
        ]
        marker = f"(first {sessions} sessions of {history}, {questions} questions, seed {seed})"
        files = [DataFile(f"{file.name} {marker}", file.sha256) for file in whole.files()]
        self._loaded = LoadedBenchmark([(begun, kept)], files)

    def histories(self) -> Sequence[History]:
        """Return the one history."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the drawn questions, in the order of the data set."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return what the data came from, marked as a part of it."""
        return self._loaded.files()


def _begun(whole: Benchmark, history: str, sessions: int) -> History:
    """Return a history up to its n-th session."""
    found = next(candidate for candidate in whole.histories() if candidate.id == history)
    if not 1 <= sessions <= len(found.episodes):
        raise ValueError(
            f"sessions is {sessions}, expected 1 to {len(found.episodes)}, the number of sessions "
            f"of {history}"
        )
    return replace(found, episodes=found.episodes[:sessions])
