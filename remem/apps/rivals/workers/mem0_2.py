"""Mem0 2, run from its own package: one model call per message, and memories are only added.

The optional packages for entity and keyword search, which `pip install mem0ai` leaves out too, are
not installed: they would download models. So memories are found only by their vectors.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

PACKAGE = "mem0ai"
USER = "history"
"""The only user of a store, which has one history."""


class Mem0Models:
    """Replaces the model and the embedder of Mem0, and counts the facts in the model's replies.

    The API key is in OPENAI_API_KEY.
    """

    def __init__(self, dimension: int, model: str) -> None:
        self.config = SimpleNamespace(embedding_dims=dimension)
        self._model = model
        self._client = import_module("openai").OpenAI(
            base_url="http://unused", max_retries=0, timeout=None
        )
        self._replied = False
        self.facts = 0

    def ask_at(self, url: str) -> None:
        """Set the address for all further calls, and reset the counts."""
        self._client.base_url = url
        self._replied, self.facts = False, 0

    def generate_response(
        self, messages: Sequence[Mapping[str, str]], response_format: Any = None
    ) -> str:
        """Return the reply of the model unchanged."""
        done = self._client.chat.completions.create(
            model=self._model, messages=messages, response_format=response_format
        )
        self._replied = True
        return str(done.choices[0].message.content or "")

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the embedding of a text."""
        return self.embed_batch([text], memory_action)[0]

    def embed_batch(
        self, texts: Sequence[str], memory_action: str | None = "add"
    ) -> list[list[float]]:
        """Return the embeddings of queries (if `memory_action` is "search") or of documents."""
        if self._replied and memory_action == "add":
            self._replied = False  # the facts of a reply are embedded first, and at once
            self.facts = len(texts)
        kind = "query" if memory_action == "search" else "document"
        done = self._client.embeddings.create(
            model=self._model,
            input=list(texts),
            encoding_format="float",
            extra_body={"input_type": kind, "target": "fact"},
        )
        return [item.embedding for item in done.data]


class Mem0:
    """An in-memory Mem0 without telemetry."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": "."}  # read on import alone
        self._main: Any = import_module("mem0.memory.main")
        storage: Any = import_module("mem0.memory.storage")
        storage.datetime = _Clock()
        self._prompt = self._main.generate_additive_extraction_prompt
        self._search = settings["settings"]
        self._models = Mem0Models(settings["dimension"], settings["model"])
        self._numbers: dict[str, int] = {}
        """The number of each memory, in order of creation."""
        self._losses = _Losses(logging.WARNING)
        logging.getLogger("mem0.memory").addHandler(self._losses)
        self._memory = _in_memory(self._main, settings["dimension"])
        self._memory.llm = self._memory.embedding_model = self._models

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a message; return the counts of its facts and memories, and the losses."""
        self._models.ask_at(url)
        self._losses.reasons = []
        day = (episode["time"] or "unknown").partition("T")[0]
        # Deviation: the released package uses the current date, so "yesterday" would be wrong.
        dated = partial(self._prompt, current_date=day, timestamp=day)
        self._main.generate_additive_extraction_prompt = dated
        turns = [{"role": "user", "content": episode["text"]}]
        added: Sequence[Mapping[str, Any]] = ()
        try:
            metadata = {name: episode[name] for name in ("id", "time", "date")}
            added = self._memory.add(turns, user_id=USER, metadata={"episode": metadata})["results"]
        except Exception as error:  # noqa: BLE001  after any error, the message is lost
            self._losses.reasons.append(f"{type(error).__name__}: {error}")
        for entry in added:
            self._numbers[entry["id"]] = len(self._numbers)
        counts = {"facts": self._models.facts, "ADD": len(added)}
        return {"stored": len(added), "counts": counts, "lost": self._losses.reasons}

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the nearest memories, each with the date of its message."""
        self._models.ask_at(url)
        reply = self._memory.search(text, filters={"user_id": USER}, **self._search)
        return {"found": [self._memory_item(hit) for hit in reply["results"]]}

    def _memory_item(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        episode = memory["metadata"]["episode"]
        date = episode["date"] or episode["time"]
        return {
            "id": f"memory-{self._numbers[memory['id']]}",
            "text": f"{date}: {memory['memory']}" if date else memory["memory"],
            "time": episode["time"],
            "source": [episode["id"]],
        }


def start(settings: Mapping[str, Any]) -> Mem0:
    """Return an empty memory."""
    return Mem0(settings)


class _Losses(logging.Handler):
    """Collects Mem0's warnings, each of which may mean that something was not stored."""

    reasons: list[str]

    def emit(self, record: logging.LogRecord) -> None:
        """Store the message of a log record."""
        self.reasons.append(record.getMessage())


class _Clock:
    """A clock that advances by a second at each reading, so that memories have an order."""

    def __init__(self) -> None:
        self._time = datetime(2026, 4, 16)

    def now(self, zone: tzinfo | None = None) -> datetime:
        """Advance the clock by a second and return its time."""
        self._time += timedelta(seconds=1)
        return self._time.replace(tzinfo=zone)


def _in_memory(main: Any, dimension: int) -> Any:
    if main.MEM0_TELEMETRY:
        raise RuntimeError("mem0 was imported with its telemetry on")
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    store = {"path": ":memory:", "embedding_model_dims": dimension, "on_disk": True}
    return main.Memory.from_config(
        {
            "llm": unused,
            "embedder": unused,
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": ":memory:",
        }
    )
