"""A memory in another program, used through a connection.

Messages are stored one by one, in order. After a crash the next request starts the program again
and stores the earlier messages again. Errors are raised and recorded; they never become empty
results.
"""

import threading
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from remem.apps.rivals.program import (
    Connect,
    Connection,
    FoundItem,
    Piece,
    ProgramError,
    Stored,
    Unit,
    pieces,
)
from remem.errors import NothingStoredError
from remem.files.secret_values import without_secrets
from remem.types import Evidence, History, IndexHealth, Message, Passage, Query, Usage

LONGEST_REASON = 200
SENT, LOST = "messages sent", "messages not stored"

Result = TypeVar("Result")


class ProgramMemory:
    """Stores the messages of a history in another program, and recalls what the program finds.

    Attributes:
        index_counts: How many messages were sent, and how many were not stored.
        failures: The messages that were not stored, each with the program's reason.

    Args:
        label: The name of the program in errors.
        connect: Starts the program, or connects to it, for a history.
        unit: What one request stores: a message or a session.
        top_k: The maximum number of items that a query recalls.
    """

    def __init__(self, *, label: str, connect: Connect, unit: Unit, top_k: int) -> None:
        self._label = label
        self._connect = connect
        self._unit: Unit = unit
        self._top_k = top_k
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._stored: dict[str, Piece] = {}
        self._said: dict[str, tuple[Message, ...]] = {}
        self._items = self._dated = 0
        self.program = ""
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self.index_counts: Counter[str] = Counter()

    def index(self, history: History) -> None:
        """Store the new messages in order.

        Raises:
            ProgramError: The program crashed, timed out or gave an invalid answer.
            NothingStoredError: The program refused every message.
        """
        for piece in pieces(history, self._unit):
            if piece.id not in self._stored:
                self._take(piece, self._ask_program(history.id, partial(_store, piece)))
        if self.failures and not self._items:
            raise NothingStoredError(
                f"{self._label} stored nothing of history {history.id}; the first failure: "
                f"{self.failures[0][1]}"
            )

    def recall(self, query: Query) -> Evidence:
        """Return what the program finds; ask the program even if nothing was stored."""
        items = self._ask_program(query.history_id, lambda to: to.search(query, self._top_k))
        passages = [self._passage(at, item) for at, item in enumerate(items[: self._top_k])]
        return Evidence(passages=tuple(_told_apart(passages)))

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of stored items, and how many of them come from a dated message."""
        return IndexHealth(self._items, self._dated, self._top_k)

    def close(self) -> None:
        """End the program; the next request starts it again."""
        with self._lock:
            self._end()

    def _ask_program(self, history_id: str, ask: Callable[[Connection], Result]) -> Result:
        with self._lock:
            try:
                return ask(self._running(history_id))
            except ProgramError as error:
                if not error.usable:
                    self._end()
                raise

    def _running(self, history_id: str) -> Connection:
        if self._connection is None:
            connection = self._connect(history_id)
            weakref.finalize(self, connection.close)
            self.program = connection.program
            try:
                for piece in self._stored.values():
                    self._know(piece, connection.store(piece))
            except ProgramError:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _take(self, piece: Piece, answer: Stored) -> None:
        self._stored[piece.id] = piece
        self._know(piece, answer)
        self._items += answer.items
        self._dated += answer.items if piece.time else 0
        self.index_counts[SENT] += len(piece.messages)
        if answer.lost or not answer.items:
            reason = answer.lost or "the program reports that it stored nothing"
            self.failures += ((piece.id, without_secrets(reason)[:LONGEST_REASON]),)
            self.index_counts[LOST] += len(piece.messages)

    def _know(self, piece: Piece, answer: Stored) -> None:
        """Record the ids by which found items can be traced to the messages of a piece."""
        for id_ in (piece.id, *answer.ids):
            self._said[id_] = piece.messages

    def _passage(self, rank: int, item: FoundItem) -> Passage:
        messages = [
            message for id_ in (item.id, *item.source) for message in self._said.get(id_, ())
        ]
        if not messages:
            messages = [
                message
                for piece in self._stored.values()
                for message in piece.messages
                if message.text and message.text in item.text
            ]
        sources = tuple(dict.fromkeys(message.id for message in messages))
        return Passage(item.id or f"item-{rank}", item.text, item.time, sources)


def _told_apart(passages: Sequence[Passage]) -> Iterator[Passage]:
    """Yield each passage once; if passages with different texts share an id, number the later ones.

    >>> same = [Passage("D1:1", text, None, ()) for text in ("a", "b", "a")]
    >>> [passage.id for passage in _told_apart(same)]
    ['D1:1', 'D1:1#2']
    """
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for passage in passages:
        of_id = texts[passage.id]
        if passage.text not in of_id:
            of_id.append(passage.text)
            number = len(of_id)
            yield passage if number == 1 else replace(passage, id=f"{passage.id}#{number}")


def _store(piece: Piece, connection: Connection) -> Stored:
    return connection.store(piece)
