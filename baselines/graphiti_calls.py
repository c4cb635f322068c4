"""Replacements for Graphiti's own model and embedder."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import TypeVar

from remem.protocols import ChatMessage, ChatModel, ChatReply, ChatRequest, Embedder
from remem.types import Usage

ANY_OBJECT = {"type": "object"}
"""Graphiti only requires a reply to be a JSON object; its prompts describe the schema."""

Result = TypeVar("Result")


class GraphitiCalls:
    """Replaces Graphiti's model and embedder, and stores the first failure of a call.

    Graphiti repeats a call after any error. After a stored failure, all further calls fail at once.
    """

    def __init__(self, chat_model: ChatModel, embedder: Embedder) -> None:
        self._chat_model = chat_model
        self._embedder = embedder
        self._lock = threading.Lock()
        self.usage = Usage()
        self.failure: Exception | None = None

    def client(self) -> SimpleNamespace:
        """Return an object with the part of an OpenAI client that Graphiti uses."""
        completions = SimpleNamespace(create=self._complete)
        return SimpleNamespace(chat=SimpleNamespace(completions=completions))

    async def create(self, input_data: str | Sequence[str]) -> list[float]:
        """Return the embedding of a node name or a fact, which Graphiti compares with others."""
        texts = [input_data] if isinstance(input_data, str) else list(input_data)
        return (await self.create_batch(texts))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Return the embeddings of several texts."""
        vectors = await asyncio.to_thread(
            self._remembering_failure, lambda: self._embedder.embed_documents(input_data_list)
        )
        return [[float(value) for value in vector] for vector in vectors]

    async def _complete(
        self, *, messages: Iterable[Mapping[str, str]], **settings: object
    ) -> SimpleNamespace:
        """Return the reply of our model, unchanged; Graphiti's settings are ignored."""
        request = ChatRequest(
            "index",
            tuple(ChatMessage(message["role"], message["content"]) for message in messages),  # type: ignore[arg-type]  # it has our roles
            reply_schema=ANY_OBJECT,
        )
        reply = await asyncio.to_thread(self._remembering_failure, lambda: self._ask_model(request))
        choice = SimpleNamespace(message=SimpleNamespace(content=reply.text))
        return SimpleNamespace(choices=[choice])

    def _ask_model(self, request: ChatRequest) -> ChatReply:
        reply, usage = self._chat_model.ask(request, lambda reply: reply)
        with self._lock:
            self.usage += usage
        return reply

    def _remembering_failure(self, call: Callable[[], Result]) -> Result:
        if self.failure is not None:
            raise self.failure
        try:
            return call()
        except Exception as error:
            self.failure = self.failure or error
            raise
