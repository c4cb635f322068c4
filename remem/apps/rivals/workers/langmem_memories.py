"""LangMem's store manager, run from its own package with an in-memory store.

Each session is one extraction from one user message. The first line of the message is the date of
the session, because LangMem has no field for dates. The model sees the `query_limit` nearest
memories, and may change only these memories.
"""

import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import NAMESPACE_DNS, UUID, uuid5

PACKAGE = "langmem"
PLACE = ("memories", "history")
"""The only namespace of a store, which has one history."""
ALL = 1 << 40
"""A limit that no store reaches."""
REPAIRS = ("PatchFunctionErrors", "PatchFunctionName")
"""The tools that repair an earlier call, so they are no writes of their own."""


class LangMemEmbeddings:
    """The embedder of the store, which calls our models. The API key is in OPENAI_API_KEY."""

    def __init__(self, model: str) -> None:
        openai = import_module("openai")
        self._model = model
        self._client = openai.OpenAI(base_url="http://unused", max_retries=0, timeout=None)

    def ask_at(self, url: str) -> None:
        """Set the address for all further calls."""
        self._client.base_url = url

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the embeddings of memories."""
        return self._embed(texts, "document")

    def embed_query(self, text: str) -> list[float]:
        """Return the embedding of a search text, which is a question or an entire session."""
        return self._embed([text], "query")[0]

    def _embed(self, texts: Sequence[str], kind: str) -> list[list[float]]:
        done = self._client.embeddings.create(
            model=self._model,
            input=list(texts),
            encoding_format="float",
            extra_body={"input_type": kind, "target": "fact"},
        )
        return [item.embedding for item in done.data]


class LangMem:
    """An in-memory LangMem without tracing; its ids are the same in each run."""

    def __init__(self, started_with: Mapping[str, Any]) -> None:
        os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
        settings = started_with["settings"]
        self._top_k = settings["top_k"]
        self._embedder = _embedder(started_with["model"])
        self._model = import_module("langchain_openai").ChatOpenAI(
            model=started_with["model"], base_url="http://unused", max_retries=0, timeout=None
        )
        self._store = import_module("langgraph.store.memory").InMemoryStore(
            index={"dims": started_with["dimension"], "embed": self._embedder}
        )
        self._manager = import_module("langmem").create_memory_store_manager(
            self._model, namespace=PLACE, store=self._store, query_limit=settings["query_limit"]
        )
        self._errors = _Errors(logging.WARNING)
        logging.getLogger("extraction").addHandler(self._errors)
        self._replies = _replies()
        # One thread: else the order of the memories, and so that of equal scores, is chance.
        self._config = {"callbacks": [self._replies], "max_concurrency": 1}
        self._written: dict[str, list[Mapping[str, Any]]] = {}
        """The sessions that wrote each memory, oldest first."""

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a session; return the counts of tool calls and written memories, and the losses."""
        self._ask_at(url)
        self._errors.reasons, self._replies.counts = [], Counter()
        _make_repeatable(Random(episode["id"]))
        before = self._memories()
        changes: Sequence[Mapping[str, Any]] = ()
        try:
            turn = {"role": "user", "content": _stated(episode)}
            messages = import_module("langchain_core.messages").convert_to_messages([turn])
            changes = self._manager.invoke({"messages": messages}, self._config)
        except Exception as error:  # noqa: BLE001  after any error, the session is lost
            self._errors.reasons.append(f"{type(error).__name__}: {error}")
        after = self._memories()
        changed = [key for key, value in after.items() if before.get(key) != value]
        for key in changed:
            self._written.setdefault(key, []).append(episode)
        # LangMem writes in threads and never looks at their errors.
        unsaved = sum(after.get(put["key"]) != put["value"] for put in changes)
        lost = self._errors.reasons + ["a memory could not be stored"] * unsaved
        lost += ["the arguments of a call are not JSON, so LangMem dropped the call"] * (
            self._replies.counts["unreadable_calls"]
        )
        if before == after and not lost and self._replies.counts["replies_without_calls"]:
            lost.append("the reply calls no tool, so nothing was stored")
        inserted = len(after.keys() - before.keys())
        done = {"inserted": inserted, "updated": len(changed) - inserted}
        return {
            "stored": inserted,
            "counts": {"sessions": 1, **done, **self._losses(len(changed))},
            "lost": lost,
        }

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the nearest memories, each with the date of the last session that wrote it."""
        self._ask_at(url)
        items = self._manager.search(query=text, limit=self._top_k, config=self._config)
        return {"found": [self._memory_item(item) for item in items]}

    def _ask_at(self, url: str) -> None:
        self._embedder.ask_at(url)
        self._model.root_client.base_url = url

    def _memories(self) -> dict[str, Mapping[str, Any]]:
        return {item.key: dict(item.value) for item in self._store.search(PLACE, limit=ALL)}

    def _losses(self, writes: int) -> dict[str, int]:
        counts = self._replies.counts
        without_effect = counts["calls"] + counts["unreadable_calls"] - writes
        names = ("replies", "replies_without_calls", "cut_replies", "unreadable_calls")
        return {name: counts[name] for name in names} | {
            "calls_without_effect": max(0, without_effect)
        }

    def _memory_item(self, item: Any) -> dict[str, Any]:
        sessions = self._written[item.key]
        last = sessions[-1]
        date, text = last["date"] or last["time"], item.value.content
        return {
            "id": item.key,
            "text": f"{date}: {text}" if date else text,
            "time": last["time"],
            "source": [session["id"] for session in sessions],
        }


def start(settings: Mapping[str, Any]) -> LangMem:
    """Return an empty memory."""
    return LangMem(settings)


class _Errors(logging.Handler):
    """Collects the warnings that LangMem's extractor logs when it drops a tool call."""

    reasons: list[str]

    def emit(self, record: logging.LogRecord) -> None:
        """Store the message of a log record."""
        self.reasons.append(record.getMessage())


def _embedder(model: str) -> Any:
    """Return our embedder as a subclass of LangChain's, because the store checks for that class."""
    base = import_module("langchain_core.embeddings").Embeddings
    return type("LentEmbedder", (LangMemEmbeddings, base), {})(model)


def _replies() -> Any:
    """Return a callback that counts the replies of the model and their tool calls."""
    base = import_module("langchain_core.callbacks").BaseCallbackHandler

    def on_llm_end(self: Any, response: Any, **_: Any) -> None:
        message = response.generations[0][0].message
        calls = [call for call in message.tool_calls if call["name"] not in REPAIRS]
        self.counts["replies"] += 1
        self.counts["calls"] += len(calls)
        self.counts["unreadable_calls"] += len(message.invalid_tool_calls)
        self.counts["replies_without_calls"] += not message.tool_calls + message.invalid_tool_calls
        self.counts["cut_replies"] += message.response_metadata.get("finish_reason") == "length"

    return type("Replies", (base,), {"on_llm_end": on_llm_end, "counts": Counter()})()


def _make_repeatable(ids: Random) -> None:
    """Make LangMem's ids repeatable, because prompts contain them."""

    def uuid4() -> UUID:
        return UUID(int=ids.getrandbits(128), version=4)

    fixed = SimpleNamespace(uuid4=uuid4, uuid5=uuid5, NAMESPACE_DNS=NAMESPACE_DNS)
    for name in ("langmem.knowledge.extraction", "trustcall._base"):
        import_module(name).__dict__["uuid"] = fixed


def _stated(session: Mapping[str, Any]) -> str:
    """Return the text of a session, below a line with its date if it has one."""
    date = session["date"] or session["time"]
    return f"Date: {date}\n{session['text']}" if date else str(session["text"])
