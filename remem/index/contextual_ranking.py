"""Contextual ranking: the score of an item also depends on what was said around it.

The paper ranks each gist by itself. In a chat, the words of a question are often in the message
before the answer, or elsewhere in the session.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import rank
from remem.protocols import Hit, LexicalIndex, Mask

Scores = NDArray[np.float64]

_STAMP = re.compile(r"\[[^\]]*\]\s*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """The text of an item, and the session in which it was said."""

    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part of the score; a part of weight 0 is left out.

    Attributes:
        neighbours: Weight of a neighbouring item; at distance d, the weight to the power of d.
        reach: The distance of the farthest neighbours that count.
        reply: Additional weight of the previous item if it ends with a question mark.
        session: Weight of the BM25 score of the entire session.
        speaker: Added if the question contains the item's first word (its speaker or subject).
        semantic: Weight of the similarity of the embeddings; the BM25 score has weight 1.
    """

    neighbours: float
    reach: int
    reply: float
    session: float
    speaker: float
    semantic: float


class ContextualRanking:
    """Ranks the items of one history.

    The score of an item is its BM25 score, scaled to at most 1, plus the weighted parts. Only items
    of the same session are neighbours.

    Args:
        weights: The weight of each part.
        lexical: Creates an empty index, to which the texts of the sessions are added.
    """

    def __init__(self, *, weights: Weights, lexical: Callable[[], LexicalIndex]) -> None:
        self.weights = weights
        self._lexical = lexical
        self._names: list[str] = []
        self._numbers: list[int] = []
        self._asks: list[bool] = []
        self._texts: dict[str, list[str]] = {}
        self._sessions = lexical()
        self._indexed = 0
        """The number of sessions in their index."""

    def add(self, items: Sequence[PlacedItem]) -> None:
        """Append items in the order in which they were said."""
        numbers = {session: number for number, session in enumerate(self._texts)}
        for item in items:
            number = numbers.setdefault(item.session, len(numbers))
            if number < self._indexed:  # its text has changed
                self._sessions, self._indexed = self._lexical(), 0
            self._numbers.append(number)
            self._texts.setdefault(item.session, []).append(item.text)
            self._names.append(_first_word(item.text))
            self._asks.append(item.text.rstrip().endswith("?"))
        if self.weights.session:
            self._index_sessions()

    def _index_sessions(self) -> None:
        """Add the sessions that are not in the index yet."""
        new = islice(self._texts.values(), self._indexed, None)
        self._sessions.add(["\n".join(texts) for texts in new])
        self._indexed = len(self._texts)

    def rank(
        self,
        query: str,
        top_k: int,
        *,
        lexical: Sequence[Hit],
        semantic: Sequence[Hit] = (),
        allowed: Mask | None = None,
    ) -> list[Hit]:
        """Return the best `top_k` allowed items with a score above 0.

        Args:
            query: The question.
            top_k: The number of items to return.
            lexical: The BM25 scores of all items that share a term with the question.
            semantic: The similarities of all items; needed if their weight is not 0.
            allowed: The items that may be returned; the others still count as context.
        """
        scores = self.scores(query, lexical, semantic)
        is_candidate = scores > 0 if allowed is None else allowed & (scores > 0)
        positions = np.flatnonzero(is_candidate)
        return rank(positions, scores[positions], top_k)

    def scores(self, query: str, lexical: Sequence[Hit], semantic: Sequence[Hit] = ()) -> Scores:
        """Return the score of each item, shape (n,)."""
        weights, size = self.weights, len(self._names)
        own = _shares(lexical, size)
        if weights.semantic:
            own = own + weights.semantic * _shares(semantic, size)
        scores = own + self._around(own)
        if weights.session and self._texts:
            scores += weights.session * self._of_sessions(query)
        if weights.speaker:
            scores += weights.speaker * self._scores_by_name(query)
        return scores

    def _around(self, own: Scores) -> Scores:
        """Return what the neighbours of each item add to its score."""
        sessions = np.array(self._numbers, dtype=np.int64)
        added = np.zeros_like(own)
        for distance in range(1, min(self.weights.reach, len(own) - 1) + 1):
            weight = self.weights.neighbours**distance
            together = sessions[distance:] == sessions[:-distance]
            added[distance:] += weight * own[:-distance] * together
            added[:-distance] += weight * own[distance:] * together
        if self.weights.reply:
            asked = np.array(self._asks[:-1], dtype=np.bool_)
            added[1:] += self.weights.reply * own[:-1] * asked * (sessions[1:] == sessions[:-1])
        return added

    def _of_sessions(self, query: str) -> Scores:
        """Return the BM25 score of each item's session, as a share of the best session's."""
        shares = _shares(self._sessions.search(query, len(self._texts)), len(self._texts))
        of_items: Scores = shares[self._numbers]
        return of_items

    def _scores_by_name(self, query: str) -> Scores:
        """Return 1 for items whose first word is in the question, else 0; all 0 if all are 1."""
        words = set(_WORD.findall(query.casefold()))
        named = np.array([name in words for name in self._names], dtype=np.float64)
        return named if len(named) and named.min() == 0 else np.zeros_like(named)


def _shares(hits: Sequence[Hit], size: int) -> Scores:
    """Return the score at each position divided by the highest; all 0 if none is positive."""
    scores = np.zeros(size)
    for position, score in hits:
        scores[position] = max(score, 0.0)
    highest = scores.max(initial=0.0)
    return scores / highest if highest else scores


def _first_word(text: str) -> str:
    """Return the first word after a time in brackets, in lower case."""
    stamp = _STAMP.match(text)
    word = _WORD.search(text, stamp.end() if stamp else 0)
    return word[0].casefold() if word else ""
