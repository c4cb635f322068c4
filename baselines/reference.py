"""Reference memories that do not search: they recall the full history, gold evidence or nothing.

Full-Context and Oracle Message are the additional references of the paper (Methods for Comparison).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from remem.passages import message_passage
from remem.protocols import Extractor
from remem.types import Evidence, Gist, History, Message, Passage, Query, Question, Usage

Order = Literal["chronological", "newest_first"]


class FullContext:
    """Recalls every message.

    Args:
        order: The order of the sessions; messages within a session stay in order. The released
            code shows the newest session first. If a query has its own order (Test of Time), that
            order is used instead.
    """

    def __init__(self, *, order: Order) -> None:
        if order not in ("chronological", "newest_first"):
            raise ValueError(f"unknown order {order!r}, expected 'chronological' or 'newest_first'")
        self._order = order
        self._sessions: list[list[Passage]] = []
        self._by_id: dict[str, Passage] = {}

    def index(self, history: History) -> None:
        """Add a history, or the next part of it."""
        for episode in history.episodes:
            passages = [message_passage(message) for message in episode.messages]
            self._sessions.append(passages)
            ids = (message.id for message in episode.messages)
            self._by_id |= zip(ids, passages, strict=True)

    def recall(self, query: Query) -> Evidence:
        """Return all messages as passages."""
        if query.order:
            passages_by_id = self._by_id
            passages = [
                passages_by_id[message_id]
                for message_id in query.order
                if message_id in passages_by_id
            ]
        else:
            sessions = self._sessions if self._order == "chronological" else self._sessions[::-1]
            passages = [passage for session in sessions for passage in session]
        return Evidence(passages=tuple(passages), ranked=False)


class OracleMessage:
    """Recalls the gold evidence messages, in conversation order."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._evidence: dict[str, frozenset[str]] = {}

    def index(self, history: History) -> None:
        """Add a history, or the next part of it."""
        self._messages.extend(history.messages())

    def see_gold(self, questions: Sequence[Question]) -> None:
        """Store the ids of the gold evidence of each question."""
        self._evidence |= _gold_evidence(questions)

    def recall(self, query: Query) -> Evidence:
        """Return the gold evidence that `see_gold` has stored for a question."""
        gold = _stored_evidence(self._evidence, query)
        gold_messages = (message for message in self._messages if message.id in gold)
        return Evidence(passages=tuple(message_passage(message) for message in gold_messages))


class OracleGist:
    """Recalls the gists that were extracted from the gold evidence, in conversation order.

    Args:
        extractor: Extracts the gists, as for REMem.
    """

    def __init__(self, *, extractor: Extractor) -> None:
        self._extractor = extractor
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self._gists: list[Gist] = []
        self._evidence: dict[str, frozenset[str]] = {}

    def index(self, history: History) -> None:
        """Add a history, or the next part of it."""
        extractions = [(each.id, self._extractor.extract(each)) for each in history.episodes]
        for episode_id, extraction in extractions:  # all or none
            self.index_usage += extraction.usage
            if extraction.failure:
                self.failures += ((episode_id, extraction.failure),)
            for gist in extraction.gists:
                gist_id = f"g{len(self._gists) + 1}"
                self._gists.append(replace(gist, id=gist_id, episode_id=episode_id))

    def see_gold(self, questions: Sequence[Question]) -> None:
        """Store the ids of the gold evidence of each question."""
        self._evidence |= _gold_evidence(questions)

    def recall(self, query: Query) -> Evidence:
        """Return the gists from the gold evidence that `see_gold` has stored for a question."""
        gold = _stored_evidence(self._evidence, query)
        return Evidence(gists=tuple(gist for gist in self._gists if gold & set(gist.source)))


class NoMemory:
    """Recalls nothing, so that the reader answers without evidence."""

    def index(self, history: History) -> None:
        """Ignore the history."""

    def recall(self, query: Query) -> Evidence:
        """Return no evidence."""
        return Evidence()


def _gold_evidence(questions: Sequence[Question]) -> dict[str, frozenset[str]]:
    return {question.query.id: frozenset(question.gold.evidence) for question in questions}


def _stored_evidence(evidence: Mapping[str, frozenset[str]], query: Query) -> frozenset[str]:
    if query.id not in evidence:
        raise ValueError(
            f"no gold evidence for query {query.id!r}: call see_gold with its question first"
        )
    return evidence[query.id]
