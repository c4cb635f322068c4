"""Replacements for Mem0's own model and embedder, and a log of what Mem0 loses."""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from remem.files.json_text import json_value
from remem.protocols import ChatMessage, ChatModel, ChatReply, ChatRequest, Embedder, ToolSpec
from remem.types import Stage, Usage

ANY_OBJECT = {"type": "object"}
"""Mem0 only requires a reply to be a JSON object."""
NO_CALL = ToolSpec("noop", "Call this when no other tool is to be called.", ANY_OBJECT)
"""A tool that does nothing: Mem0's model need not call a tool, but our endpoints require a call."""


class Mem0Calls:
    """Replaces Mem0's model and embedder, and stores the first failure of a call.

    Mem0 sometimes treats a failed call as an empty reply, so `failing_loudly` must enclose every
    use of Mem0.
    """

    def __init__(self, chat_model: ChatModel, embedder: Embedder, stage: Stage) -> None:
        self._chat_model = chat_model
        self._embedder = embedder
        self._stage = stage
        self._lock = threading.Lock()
        self._replies = 0
        self.config = SimpleNamespace(embedding_dims=embedder.dimension)
        self.usage = Usage()
        self.facts: list[str] = []
        self.threads: set[int] = set()
        self.failure: Exception | None = None

    @contextmanager
    def failing_loudly(self) -> Iterator[None]:
        """Raise the stored failure on exit, even if Mem0 ignored it or raised another error."""
        try:
            yield
        except Exception:
            if self.failure is None:
                raise
        if self.failure is not None:
            raise self.failure

    def generate_response(
        self,
        messages: Sequence[Mapping[str, str]],
        response_format: object = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: str = "auto",
    ) -> str | dict[str, Any]:
        """Return the unchanged reply of our model to Mem0's request."""
        request = ChatRequest(
            self._stage,
            tuple(ChatMessage(message["role"], message["content"]) for message in messages),  # type: ignore[arg-type]  # Mem0 has the same roles
            reply_schema=ANY_OBJECT if response_format else None,
            tools=(*map(_tool_spec, tools), NO_CALL) if tools else (),
        )
        reply = self._ask_model(request)
        if tools:
            return {"content": reply.text, "tool_calls": _tool_calls(reply)}
        self._replies += 1
        return reply.text

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the embedding of a text.

        The text is a query if `memory_action` is "search", and a document otherwise.
        """
        if memory_action == "add" and self._replies == 1:
            self.facts.append(text)  # between its two calls, Mem0 embeds each fact once
        with self._remembering_failure():
            if memory_action == "search":
                vectors = self._embedder.embed_queries([text], target="fact")
            else:
                vectors = self._embedder.embed_documents([text])
        return [float(value) for value in vectors[0]]

    def _ask_model(self, request: ChatRequest) -> ChatReply:
        with self._remembering_failure():
            reply, usage = self._chat_model.ask(request, lambda reply: reply)
        with self._lock:
            self.usage += usage
        return reply

    @contextmanager
    def _remembering_failure(self) -> Iterator[None]:
        """Record the calling thread and the first failure; raise an already stored failure."""
        self.threads.add(threading.get_ident())
        if self.failure is not None:
            raise self.failure
        try:
            yield
        except Exception as error:
            self.failure = self.failure or error
            raise


class _LossLog(logging.Handler):
    """Collects Mem0's log messages about losses, from the given threads."""

    def __init__(self, threads: set[int]) -> None:
        super().__init__(logging.WARNING)
        self._threads = threads
        self.reasons: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Store the message of a record."""
        if record.thread in self._threads:
            self.reasons.append(record.getMessage())


@contextmanager
def losses(calls: Mem0Calls) -> Iterator[list[str]]:
    """Yield a list to which Mem0's log messages about lost facts are added during these calls."""
    handler = _LossLog(calls.threads)
    logger = logging.getLogger("mem0.memory")
    logger.addHandler(handler)
    try:
        yield handler.reasons
    finally:
        logger.removeHandler(handler)


def _tool_spec(tool: Mapping[str, Any]) -> ToolSpec:
    function = tool["function"]
    return ToolSpec(function["name"], function["description"], function["parameters"])


def _tool_calls(reply: ChatReply) -> list[dict[str, Any]]:
    """Return the tool calls as Mem0's client does; raise ValueError if arguments are not JSON."""
    calls = [call for call in reply.tool_calls if call.name != NO_CALL.name]
    return [{"name": call.name, "arguments": _arguments(call.arguments)} for call in calls]


def _arguments(text: str) -> Any:
    extract_json = import_module("mem0.memory.utils").extract_json
    try:
        return json_value(extract_json(text))
    except ValueError as error:
        raise ValueError(f"the arguments of a call are not JSON: {error}") from error
