"""The state that all workers of a run share: calls, limiter, budget and vectors.

A keeper holds a part of this state, in its own process on the machine that has the stores. Workers
send messages to the keepers.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from remem.config.instantiation import instantiate_checked
from remem.errors import StopRunError
from remem.llm.budget import Budget
from remem.llm.call_store import CallStore, KeyLocks, Outcome, Received, Sent
from remem.llm.chat_model import open_budget
from remem.llm.limiter import Limiter, Limits
from remem.llm.vector_store import EmbeddingCall, StoredEmbeddingCalls, VectorStore
from remem.protocols import ChatReply, Vectors
from remem.types import Usage

Held = TypeVar("Held")

WAITING = ("hold", "reserve", "admit", "sleep")
"""Messages that may have to wait for another worker.

A call is held, then reserved, then admitted. Messages that end a wait never wait.
"""
VectorsOf = tuple[str, str, int]
"""The call store next to the vectors, the name of their model, and their dimension."""


class Holdings:
    """Context managers that are entered on behalf of workers; any thread can exit them."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._numbers = count()
        self._held: dict[tuple[str, int], tuple[ExitStack, Any]] = {}
        self._gone: set[str] = set()

    def take(self, worker: str, context: AbstractContextManager[Held]) -> tuple[int, Held]:
        """Enter a context for a worker; return the number and the value of the context."""
        stack = ExitStack()
        value = stack.enter_context(context)
        with self._guard:
            number = next(self._numbers)
            gone = worker in self._gone
            if not gone:
                self._held[worker, number] = (stack, value)
        if gone:  # it died while it waited
            stack.close()
        return number, value

    def value(self, worker: str, number: int) -> Any:
        """Return the value of a context; None if it was exited."""
        return self._held.get((worker, number), (None, None))[1]

    def give_back(self, worker: str, number: int) -> None:
        """Exit a context, unless it was already exited."""
        with self._guard:
            stack, _ = self._held.pop((worker, number), (None, None))
        if stack is not None:
            stack.close()

    def give_up(self, worker: str) -> None:
        """Exit all contexts of a dead worker."""
        with self._guard:
            self._gone.add(worker)
            numbers = [number for holder, number in self._held if holder == worker]
        for number in numbers:
            self.give_back(worker, number)


@dataclass(slots=True)
class Reservation:
    """The dollars reserved for a call, and its usage: the maximum until the call has ended."""

    dollars: float
    took: Usage


class CallKeeper:
    """Keeps the calls, the limiter and the budget of a run for all workers; thread-safe.

    Args:
        chat_model: The build settings of the language model, None if the run has no model.
        folder: The folder that relative paths start from.
    """

    def __init__(self, chat_model: Mapping[str, Any] | None, folder: str) -> None:
        self._folder = Path(folder)
        self._held = Holdings()
        self._locks = KeyLocks()
        self._guard = Lock()
        self._embedding_calls: dict[str, StoredEmbeddingCalls] = {}
        if chat_model is None:
            return
        endpoint = chat_model["endpoint"]
        limits = endpoint.get("limits")
        self._store = CallStore(Path(self._on_disk(chat_model["store"])))
        self._limiter = Limiter(instantiate_checked(limits) if limits else Limits(None, None, None))
        ledger = chat_model.get("ledger")
        self._budget = open_budget(
            *(
                chat_model["budget_dollars"],
                chat_model["prices"],
                instantiate_checked(endpoint).model,
            ),
            Path(self._on_disk(ledger)) if ledger else None,
        )

    def all_of(self, messages: Sequence[Sequence[Any]]) -> Any:
        """Execute several messages in order and return the result of the last.

        A message is a method name and its arguments. Messages that are sent together wake a thread
        of this process only once.
        """
        return [getattr(self, method)(*arguments) for method, *arguments in messages][-1]

    def hold(self, worker: str, key: str) -> tuple[int, Received | None]:
        """Lock a call for a worker; return the number of the lock and any stored reply."""
        number, _ = self._held.take(worker, self._locks.locked(key))
        return number, self._store.received(key)

    def release(self, worker: str, number: int) -> None:
        """Release the lock of a call."""
        self._held.give_back(worker, number)

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Store a reply and return the first stored reply to this call, which is the one to use."""
        return self._store.keep_reply(sent, reply)

    def keep_error(self, sent: Sent, error: str, response: str, usage: Usage) -> None:
        """Record that a call got no usable reply."""
        self._store.keep_error(sent, error, response, usage)

    def mark(self, received: Received, outcome: Outcome, error: str) -> None:
        """Record the outcome of a reply."""
        self._store.mark(received, outcome, error)

    def reserve(self, worker: str, most: Usage) -> tuple[int, float]:
        """Reserve the maximum cost of a call; return the reservation number and the dollars."""
        number, reservation = self._held.take(worker, _reserved(self._budget, most))
        return number, reservation.dollars

    def settle(self, worker: str, number: int, usage: Usage) -> None:
        """Replace a reservation by the actual cost of the call."""
        reservation = self._held.value(worker, number)
        if reservation is not None:
            reservation.took = usage
        self._held.give_back(worker, number)

    def admit(self, worker: str, tokens: int) -> tuple[int, float]:
        """Wait until a call may be sent; return the admission's number and the seconds waited."""
        number, admission = self._held.take(worker, self._limiter.admitted(tokens))
        return number, admission.waited_seconds

    def leave(self, worker: str, number: int, tokens: int) -> None:
        """End an admitted call, and count the tokens that it used."""
        admission = self._held.value(worker, number)
        if admission is not None:
            admission.tokens = tokens
        self._held.give_back(worker, number)

    def pause(self, seconds: float) -> None:
        """Pause all calls for this many seconds."""
        self._limiter.pause(seconds)

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds, or until the run is stopped."""
        self._limiter.sleep(seconds)

    def stop(self, reason: StopRunError) -> None:
        """Refuse all further calls with this error."""
        if hasattr(self, "_limiter"):
            self._limiter.stop(reason)

    def add_embedding_call(self, store: str, call: EmbeddingCall) -> None:
        """Record a request for embeddings."""
        with self._guard:
            if store not in self._embedding_calls:
                self._embedding_calls[store] = StoredEmbeddingCalls(store=self._on_disk(store))
        self._embedding_calls[store].add(call)

    def give_up(self, worker: str) -> None:
        """Release everything that a dead worker holds; its open calls count at maximum cost."""
        self._held.give_up(worker)

    def _on_disk(self, store: str) -> str:
        return str(self._folder / store)


@contextmanager
def _reserved(budget: Budget, most: Usage) -> Iterator[Reservation]:
    reservation = Reservation(budget.reserve(most), most)
    try:
        yield reservation
    finally:
        budget.settle(reservation.dollars, reservation.took)


class VectorKeeper:
    """Keeps the vectors of a run for all workers; thread-safe.

    Messages have all vectors in one array of shape (keys, dimension), not one array for each key.

    Args:
        folder: The folder that relative paths start from.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._vectors: dict[VectorsOf, VectorStore] = {}
        self._guard = Lock()

    def get_vectors(self, of: VectorsOf, keys: Sequence[str]) -> tuple[list[str], Vectors]:
        """Return the keys that have a stored vector, and these vectors."""
        stored = self._vectors_of(of).get_many(keys)
        block = np.stack(list(stored.values())) if stored else np.empty((0, of[2]), np.float32)
        return list(stored), block

    def put_vectors(self, of: VectorsOf, keys: Sequence[str], block: Vectors) -> None:
        """Store the vector of each key, and wait until all are on disk."""
        self._vectors_of(of).put_many(dict(zip(keys, block, strict=True)))

    def _vectors_of(self, of: VectorsOf) -> VectorStore:
        store, model, dimension = of
        with self._guard:
            if of not in self._vectors:
                self._vectors[of] = VectorStore(
                    store=str(self._folder / store), model=model, dimension=dimension
                )
            return self._vectors[of]
