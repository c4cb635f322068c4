"""An endpoint that answers from a list, and a chat model on it."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from remem.errors import StopRunError
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointReply
from remem.protocols import ChatMessage, ChatReply, ChatRequest
from remem.types import Usage


@dataclass
class Answering:
    """An endpoint that gives or raises the listed replies in turn, and then repeats the last."""

    replies: Sequence[ChatReply | EndpointReply | Exception]
    kind: str = "listed-chat"
    model: str = "gpt-4.1-mini-2025-04-14"
    settings: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    max_output_tokens: int = 100
    address: str = "http://127.0.0.1:8000/v1"
    stopped: list[StopRunError] = field(default_factory=list)
    sent: list[ChatRequest] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)
    waiting: Callable[[], object] = lambda: None  # between a request and its reply

    def send(self, request: ChatRequest) -> EndpointReply:
        with self.lock:
            self.sent.append(request)
            reply = self.replies[min(len(self.sent), len(self.replies)) - 1]
        self.waiting()
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, EndpointReply) else EndpointReply(reply, 0.25)

    def stop(self, reason: StopRunError) -> None:
        self.stopped.append(reason)


def _reply(text: str, *, truncated: bool = False) -> ChatReply:
    return ChatReply(text, (), truncated, Usage(1, 10, 2))


@pytest.fixture
def reply() -> Callable[..., ChatReply]:
    """Return a function that makes a reply with 10 prompt and 2 completion tokens."""
    return _reply


@pytest.fixture
def answering() -> Callable[..., Answering]:
    """Return a function that makes an endpoint with the given replies or exceptions."""

    def make(*replies: str | ChatReply | EndpointReply | Exception, **differing: Any) -> Answering:
        listed = [_reply(item) if isinstance(item, str) else item for item in replies]
        return Answering(listed, **differing)

    return make


@pytest.fixture
def request_of() -> Callable[..., ChatRequest]:
    """Make a request with one message."""

    def make(text: str, **differing: Any) -> ChatRequest:
        return ChatRequest("read", (ChatMessage("user", text),), **differing)

    return make


@pytest.fixture
def chat_model(tmp_path: Path) -> Callable[..., StoredChatModel]:
    """Return a function that makes a chat model on the test's call store, as a restart does."""

    def make(endpoint: Any, **differing: Any) -> StoredChatModel:
        keys: dict[str, Any] = {
            "store": str(tmp_path / "calls.sqlite"),
            "attempts": 2,
            "repeat": 0,
            "budget_dollars": None,
            "prices": "2026-11-21",
        }
        return StoredChatModel(endpoint=endpoint, **(keys | differing))

    return make
