"""The first sessions of one history and some questions on them: a check that costs cents.

It is not a benchmark: so few questions only show that the pipeline works.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import Benchmark, DataFile
from remem.types import History, Question


class FirstSessions:
    """The first sessions of a history, and a seeded sample of the questions that they answer.

    Args:
        whole: The benchmark.
        history: The id of the history.
        sessions: The number of its episodes to keep.
        questions: The number of questions to draw; they stay in the order of the data set.
        seed: The seed of the sample.
    """

    def __init__(
        self, *, whole: Benchmark, history: str, sessions: int, questions: int, seed: int
    ) -> None:
        asked = whole.questions(history)
        begun = _first_sessions(whole, history, sessions)
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
        """Return the only history."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the drawn questions, in the order of the data set."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return the source files, with a note on the sample in their names."""
        return self._loaded.files()


def _first_sessions(whole: Benchmark, history: str, sessions: int) -> History:
    """Return the first `sessions` sessions of a history."""
    found = next(candidate for candidate in whole.histories() if candidate.id == history)
    if not 1 <= sessions <= len(found.episodes):
        raise ValueError(
            f"sessions is {sessions}, expected 1 to {len(found.episodes)}, the number of sessions "
            f"of {history}"
        )
    return replace(found, episodes=found.episodes[:sessions])
