"""A seeded split of the questions of each category, for choosing settings on one part only.

The paper selects T_max from 2 to 5 "on a small validation set" and does not say which.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import Benchmark, DataFile
from remem.types import History, Question


class Split:
    """The validation part of a benchmark, or the test part, which is all the rest.

    A history without questions in the part is left out.

    Args:
        whole: The benchmark.
        part: "validation" or "test".
        share: The share of each category's questions in the validation part, rounded, with a
            minimum of one question; 1 is all.
        seed: The seed of the split.
    """

    def __init__(
        self, *, whole: Benchmark, part: Literal["validation", "test"], share: float, seed: int
    ) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share is {share}, expected more than 0 and at most 1")
        drawn = _drawn(whole, share, seed)
        kept = [
            (history, _renumbered(questions))
            for history in whole.histories()
            if (questions := _of_part(whole, history, drawn, validation=part == "validation"))
        ]
        if not kept:
            raise ValueError(f"the {part} part has no questions; choose another share than {share}")
        marker = f"({part} part: {share:g} of each category is validated on, seed {seed})"
        files = [DataFile(f"{file.name} {marker}", file.sha256) for file in whole.files()]
        self._loaded = LoadedBenchmark(kept, files)

    def histories(self) -> Sequence[History]:
        """Return the histories that have questions in the part."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the questions of the part, in the order of the data set."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return the source files, with a note on the part in their names."""
        return self._loaded.files()


def _drawn(whole: Benchmark, share: float, seed: int) -> set[str]:
    """Return the ids of the questions in the validation part."""
    by_category: defaultdict[str, list[str]] = defaultdict(list)
    for history in whole.histories():
        for question in whole.questions(history.id):
            by_category[question.gold.category].append(question.query.id)
    rng = np.random.default_rng(seed)
    return {
        by_category[category][place]
        for category in sorted(by_category)
        for place in _places(len(by_category[category]), share, rng)
    }


def _places(count: int, share: float, rng: np.random.Generator) -> list[int]:
    places: list[int] = rng.choice(count, max(1, round(share * count)), replace=False).tolist()
    return places


def _of_part(
    whole: Benchmark, history: History, drawn: set[str], *, validation: bool
) -> list[Question]:
    return [
        question
        for question in whole.questions(history.id)
        if (question.query.id in drawn) is validation
    ]


def _renumbered(questions: Sequence[Question]) -> list[Question]:
    return [
        replace(question, query=replace(question.query, index=place))
        for place, question in enumerate(questions)
    ]
