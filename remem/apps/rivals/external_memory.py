"""A baseline in a separate Python environment, run by a worker process.

Its model calls reach our models through a gateway in this process, so it shares the call store,
budget and counts with every other memory. After a failure, the worker is stopped. The next worker
first repeats the earlier additions, with replies from the call store, and then continues.
"""

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, Literal

from remem.apps.rivals.worker_environment import find_python
from remem.apps.rivals.worker_process import WorkerError
from remem.apps.rivals.worker_replies import Added, Kind, WorkerAnswer, WorkerItem
from remem.apps.rivals.worker_session import ModelGateway, WorkerPlan, WorkerSession
from remem.errors import NothingStoredError
from remem.files.secret_values import without_secrets
from remem.passages import undated_line
from remem.protocols import ChatModel, Embedder
from remem.types import Evidence, History, IndexHealth, Message, Passage, Query, Stage, Usage

NAME = "lent"
"""The name of the model and of the embedder in a worker's requests."""
LONGEST_REASON = 200


class ExternalMemory:
    """Sends messages or sessions one by one to a worker, and recalls what the worker finds.

    Attributes:
        index_counts: The counts that the worker reports.

    Args:
        chat_model: Replaces the baseline's own model.
        embedder: Replaces the baseline's own embedder.
        gateway: Serves the model and the embedder over HTTP.
        worker: The module of remem/apps/rivals/workers that runs the baseline.
        package: The pinned package, `name==release`.
        environment: The folder of the Python environment.
        python_variable: The environment variable that overrides the interpreter.
        command: The command that creates the environment.
        unit: What one request adds: a message or a session.
        settings: The search settings of the worker; a query gets `top_k` items.
        timeout_seconds: The maximum time without an answer or a model call from the worker.
    """

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        embedder: Embedder,
        gateway: Callable[[ChatModel, Embedder, str], ModelGateway],
        worker: str,
        package: str,
        environment: str,
        python_variable: str,
        command: str,
        unit: Literal["message", "session"],
        settings: Mapping[str, int | float],
        timeout_seconds: float,
    ) -> None:
        python = find_python(python_variable, environment, package, command)
        embedder_fields = {
            "dimension": embedder.dimension,
            "model": NAME,
            "settings": dict(settings),
        }
        self._plan = WorkerPlan(worker, python, embedder_fields, timeout_seconds)
        self._new_gateway = partial(gateway, chat_model, embedder, NAME)
        self._unit = unit
        self._top_k = int(settings["top_k"])
        self._lock = threading.Lock()
        self._session: WorkerSession | None = None
        self._added: dict[str, Mapping[str, Any]] = {}
        self._said: dict[str, tuple[Message, ...]] = {}
        self._stored = self._dated = 0
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self.index_counts: Counter[str] = Counter()

    def index(self, history: History) -> None:
        """Add the new episodes in order; if a model fails, stop instead of skipping an episode."""
        for messages, id_ in self._units(history):
            if id_ not in self._added:
                self._add(history.id, id_, messages)
        if self.failures and not self._stored:
            raise NothingStoredError(
                f"nothing of history {history.id} was stored; lost replies: {len(self.failures)} "
                f"(the first reason: {self.failures[0][1]}); check the model and start again"
            )

    def recall(self, query: Query) -> Evidence:
        """Return the items that the worker finds."""
        if not self._added:
            return Evidence()
        reply, usage = self._ask({"recall": query.text}, WorkerAnswer, query.history_id, "recall")
        if reply.error:
            raise RuntimeError(f"{self._plan.name} cannot search: {reply.error[:LONGEST_REASON]}")
        usage += Usage(rejected_replies=reply.rejected)
        return Evidence(passages=tuple(map(self._passage, reply.found)), usage=usage)

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of searchable items, and how many of these have a known time."""
        return IndexHealth(self._stored, self._dated, self._top_k)

    def _units(self, history: History) -> Iterator[tuple[tuple[Message, ...], str]]:
        for episode in history.episodes:
            if self._unit == "message":
                yield from (((message,), message.id) for message in episode.messages)
            elif episode.messages:
                yield episode.messages, episode.id

    def _add(self, history: str, id_: str, messages: tuple[Message, ...]) -> None:
        first = messages[0]
        episode_fields = {
            "id": id_,
            "text": "\n".join(map(undated_line, messages)),
            "time": str(first.time) if first.time else None,
            "date": first.date,
        }
        reply, usage = self._ask({"add": episode_fields}, Added, history, "index")
        self._added[id_] = episode_fields
        self._said[id_] = messages
        self._stored += reply.stored
        self._dated += reply.stored if first.time else 0
        self.index_usage += usage
        self.index_counts.update(reply.counts)
        self.failures += tuple(
            (id_, without_secrets(reason)[:LONGEST_REASON]) for reason in reply.lost
        )

    def _ask(
        self, request: Mapping[str, Any], kind: type[Kind], history: str, stage: Stage
    ) -> tuple[Kind, Usage]:
        """Send a request to the worker; stop the worker if its state is unknown after an error."""
        with self._lock:
            try:
                return self._running(history).ask(request, kind, history, stage)
            except Exception as error:
                if stage == "index" or isinstance(error, WorkerError):
                    self._end()
                raise

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _running(self, history: str) -> WorkerSession:
        if self._session is None:
            session = WorkerSession(self._plan, self._new_gateway())
            weakref.finalize(self, session.close)
            with ExitStack() as unless_all_are_added:
                unless_all_are_added.callback(session.close)
                for episode in self._added.values():
                    session.ask({"add": episode}, Added, history, "index")
                unless_all_are_added.pop_all()
            self._session = session
        return self._session

    def _passage(self, item: WorkerItem) -> Passage:
        unknown = [id_ for id_ in item.source if id_ not in self._said]
        if unknown:
            raise RuntimeError(
                f"{self._plan.name} returned {item.id} with the source {unknown[0]!r}, which was "
                f"never added"
            )
        messages = [message for id_ in item.source for message in self._said[id_]]
        time = item.time or (messages[0].time if messages else None)
        sources = tuple(dict.fromkeys(message.id for message in messages))
        return Passage(item.id, item.text, time, sources)
