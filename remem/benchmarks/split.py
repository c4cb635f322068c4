"""Split the questions of each category at random into a validation part and a test part.

The paper selects T_max from 2 to 5 "on a small validation set" and does not describe the set.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark, accounts_of
from remem.protocols import Benchmark, DataFile
from remem.types import History, Question

OWN_CHOICE = "not the paper's sample"
"""Part of the name of data that is a different sample than the paper's."""


def draw_subset(categories: Sequence[str], size: int, seed: int) -> list[int]:
    """Return `size` random positions, equally many from each category, in ascending order."""
    names = sorted(set(categories))
    share, rest = divmod(size, max(len(names), 1))
    fewest = min((categories.count(name) for name in names), default=0)
    if rest or not 1 <= share <= fewest:
        raise ValueError(
            f"dataset.subset is {size}, expected a multiple of {len(names)} (the number of "
            f"question types) that is at most {len(names) * fewest}; change it, or set it to null "
            f"for all questions"
        )
    rng = np.random.default_rng(seed)
    drawn: list[int] = []
    for name in names:
        positions = [i for i, category in enumerate(categories) if category == name]
        drawn += rng.choice(positions, share, replace=False).tolist()
    return sorted(drawn)


def mark_subset(files: Sequence[DataFile], size: int, seed: int) -> list[DataFile]:
    """Return the files with names that say that only a subset of the data is used."""
    marker = f"(subset of {size}, seed {seed}: {OWN_CHOICE})"
    return [DataFile(f"{file.name} {marker}", file.sha256) for file in files]


def own_samples(names: Iterable[str]) -> list[str]:
    """Return the distinct names that `mark_subset` has marked."""
    return [name for name in dict.fromkeys(names) if OWN_CHOICE in name]


class Split(BenchmarkOnLoaded):
    """The validation part of a benchmark, or the test part, which is the rest.

    A history without questions in the part is left out.

    Args:
        whole: The benchmark.
        part: "validation" or "test".
        share: The share of each category's questions to draw for the validation part. The number
            of questions is rounded, but is at least one. A share of 1 draws all questions.
        seed: The seed of the split.
    """

    def __init__(
        self, *, whole: Benchmark, part: Literal["validation", "test"], share: float, seed: int
    ) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"dataset.build.share is {share}, expected more than 0 and at most 1")
        drawn = _draw_validation(whole, share, seed)
        of_part = []
        for history in whole.histories():
            questions = [
                question
                for question in whole.questions(history.id)
                if (question.query.id in drawn) is (part == "validation")
            ]
            if questions:
                of_part.append((history, _renumbered(questions)))
        if not of_part:
            raise ValueError(f"the {part} part has no questions; choose a share other than {share}")
        marker = f"({part} part: {share:g} of each category is validated on, seed {seed})"
        files = [DataFile(f"{file.name} {marker}", file.sha256) for file in whole.files()]
        self._loaded = LoadedBenchmark(of_part, files, accounts_of(whole))


def _draw_validation(whole: Benchmark, share: float, seed: int) -> set[str]:
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


def _renumbered(questions: Sequence[Question]) -> list[Question]:
    return [
        replace(question, query=replace(question.query, index=place))
        for place, question in enumerate(questions)
    ]


class FirstSessions(BenchmarkOnLoaded):
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
        message_ids = {message.id for message in begun.messages()}
        within = [
            question
            for question in asked
            if question.gold.evidence and message_ids.issuperset(question.gold.evidence)
        ]
        if not 1 <= questions <= len(within):
            raise ValueError(
                f"dataset.build.questions is {questions}, expected at least 1 and at most "
                f"{len(within)}, the number of questions of {history} with all their evidence up "
                f"to session {sessions}"
            )
        drawn = np.random.default_rng(seed).choice(len(within), questions, replace=False)
        chosen = _renumbered([within[position] for position in sorted(drawn.tolist())])
        marker = f"(first {sessions} sessions of {history}, {questions} questions, seed {seed})"
        files = [DataFile(f"{file.name} {marker}", file.sha256) for file in whole.files()]
        self._loaded = LoadedBenchmark([(begun, chosen)], files, accounts_of(whole))


def _first_sessions(whole: Benchmark, history: str, sessions: int) -> History:
    """Return the first `sessions` sessions of a history."""
    conversation = next(candidate for candidate in whole.histories() if candidate.id == history)
    if not 1 <= sessions <= len(conversation.episodes):
        raise ValueError(
            f"dataset.build.sessions is {sessions}, expected 1 to {len(conversation.episodes)}, "
            f"the number of sessions of {history}"
        )
    return replace(conversation, episodes=conversation.episodes[:sessions])
