"""A stub to talk to, and our chat model on it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from remem.llm.chat_model import StoredChatModel
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.llm.replay import ReplayEndpoint
from remem.serve.stub.faults import FaultPlan
from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings


@pytest.fixture
def serving() -> Iterator[Callable[..., StubServer]]:
    """Start a stub with these settings; it is stopped with the test."""
    with ExitStack() as running:
        yield lambda **settings: running.enter_context(StubServer(StubSettings(**settings)))


@pytest.fixture
def stub(serving: Callable[..., StubServer]) -> StubServer:
    """A stub that behaves."""
    return serving()


@pytest.fixture
def failing(serving: Callable[..., StubServer]) -> Callable[..., StubServer]:
    """Start a stub whose every request meets the fault at its first try."""
    return lambda kind, **plan: serving(faults=FaultPlan((kind,), **plan))


@pytest.fixture
def model_on(tmp_path: Path) -> Callable[..., StoredChatModel]:
    """Make our chat model on a stub, each time on the same call store."""

    def make(
        stub: StubServer,
        *,
        replay: bool = False,
        budget_dollars: float | None = None,
        prices: str = "2026-11-21",
        **differing: Any,
    ) -> StoredChatModel:
        keys: dict[str, Any] = {
            "base_url": stub.base_url,
            "key_variable": "NO_KEY_IS_NEEDED",
            "model": STUB_MODEL,
            "temperature": 0,
            "seed": None,
            "max_output_tokens": 4096,
            "kind": "openai-chat",
            "token_parameter": "max_completion_tokens",
            "json_mode": "schema",
            "tool_choice": "required",
            "limits": Limits(None, None, None),
            "timeout_seconds": 10.0,
            "tries": 2,
        }
        endpoint = OpenAIEndpoint(**(keys | differing))
        return StoredChatModel(
            endpoint=ReplayEndpoint(recorded=endpoint) if replay else endpoint,
            store=str(tmp_path / "calls.sqlite"),
            attempts=2,
            repeat=0,
            budget_dollars=budget_dollars,
            prices=prices,
        )

    return make
