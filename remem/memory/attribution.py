"""Find the source messages of a gist or fact in an episode by shared words.

Models are not asked for message ids, but retrieval scores need them. A word counts less the more
messages of the episode contain it.
"""

import re
from collections import Counter
from collections.abc import Sequence

from remem.types import Message

MOST_MESSAGES = 3
NEARLY_AS_GOOD = 0.5
"""Minimum weight of a further source message, as a share of the best message's weight."""

_WORD = re.compile(r"\w+")


class Attribution:
    """An index of the words in an episode's messages, used to find the sources of texts."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._ids = tuple(message.id for message in messages)
        self._words = [_words(f"{message.speaker} {message.text}") for message in messages]
        held_by = Counter(word for found in self._words for word in found)
        self._weights = {word: 1 / count for word, count in held_by.items()}

    def supporting(self, text: str) -> tuple[str, ...]:
        """Return the ids of the one to three messages most similar to a text, in message order.

        If no message shares a word with the text, return all ids.
        """
        weights = self._shared(text)
        if not any(weights):
            return self._ids
        best = sorted(range(len(weights)), key=lambda at: -weights[at])[:MOST_MESSAGES]
        floor = NEARLY_AS_GOOD * weights[best[0]]
        return tuple(self._ids[at] for at in sorted(best) if weights[at] >= floor)

    def nearest(self, text: str) -> str:
        """Return the id of the message most similar to a text; on a tie, of the first message."""
        weights = self._shared(text)
        return self._ids[weights.index(max(weights))]

    def _shared(self, text: str) -> list[float]:
        """Return the weight of the words that each message shares with a text."""
        said = sorted(_words(text) & self._weights.keys())
        return [sum(self._weights[word] for word in said if word in has) for has in self._words]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
