"""A generated history with any number of questions, each of which is a different call."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from remem.benchmarks.dialogues.long_chat import long_chat
from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import DataFile
from remem.types import Gold, History, Message, Query, Question

HISTORY = "soak"
LEAST_WORDS = 4
"""Minimum words of a message that a question is about; greetings have fewer."""


class SoakHistory:
    """The benchmark of the soak test: each question quotes a message and has its own number."""

    def __init__(self, *, seed: int, events: int, questions: int) -> None:
        self._seed = seed
        self._events = events
        self._count = questions

    def histories(self) -> Sequence[History]:
        """Return the only history."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return its questions."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return the generator's name and arguments, which determine the data."""
        return self._loaded.files()

    @cached_property
    def _loaded(self) -> LoadedBenchmark:
        name = f"soak(seed={self._seed}, events={self._events}, questions={self._count})"
        history = History(HISTORY, tuple(long_chat(self._seed, self._events)))
        quoted = [
            message for message in history.messages() if len(message.text.split()) >= LEAST_WORDS
        ]
        rng = np.random.default_rng((self._seed, self._count))
        chosen = rng.integers(len(quoted), size=self._count).tolist()
        questions = [_question(number, quoted[at]) for number, at in enumerate(chosen)]
        return LoadedBenchmark([(history, questions)], (DataFile(name, "0" * 64),))


def _question(number: int, message: Message) -> Question:
    words = " ".join(message.text.split()[:LEAST_WORDS])
    text = f"What did {message.speaker} go on to say after '{words}'? (question {number})"
    gold = Gold((message.text,), "said", evidence=(message.id,))
    return Question(Query(f"{HISTORY}/{number}", HISTORY, number, text), gold)
