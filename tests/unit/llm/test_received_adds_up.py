"""Whatever a server sends, each response is stored once, and the usage counts each reply once."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.config.run_config import configure
from remem.errors import ModelUnavailableError, StopRunError, UnusableReplyError
from remem.llm.chat_model import StoredChatModel
from remem.llm.limiter import Admission
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest
from remem.readers.answer_lines import parse_answer
from remem.types import Usage

REQUEST = ChatRequest("read", (ChatMessage("user", "Where does Ann live?"),))
PIECES = (
    *("Answer: Rome", "Rome", "answer", " ", "\n", "é", "\ud83d"),
    *('{"answer": "Rome"}', '{"a": 1, ', "<think>", "</think>", "[THINK]", "<|im_end|>"),
    *("\\boxed{", "}", "<|channel|>final<|message|>", "<|channel|>analysis<|message|>"),
    *("assistantfinal", "analysisWe", "<|im_start|>assistant"),
)
COUNTS = (0, 3, 2_000, -1, 2**60, 7.0, 7.5, "12", "many", True, None, [], float("nan"))
ENDINGS = ("stop", "length", "tool_calls", "STOP", "eos", "content_filter", "", None, 5, {})
MODELS = ("local-model", "local-model-2026-05-03", "tiny-model", "", None, 7, "m" * 300)
TOOL_CALLS = (None, [], [{"function": {"name": "look", "arguments": "{}"}}], [{}], "look", 5)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("choices", "usage", "error", "text")), inner, max_size=3)
    ),
    max_leaves=6,
)


def picked(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=5).map("".join)
PARTS = st.lists(
    TEXTS | st.fixed_dictionaries({"type": picked("text", "thinking", "image"), "text": TEXTS}),
    max_size=3,
)
MESSAGES = st.fixed_dictionaries(
    {"content": TEXTS | PARTS | ANY_JSON},
    optional={
        "reasoning_content": TEXTS,
        "refusal": picked(None, "I must not."),
        "tool_calls": picked(*TOOL_CALLS),
    },
)
COMPLETIONS = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries({"message": MESSAGES, "finish_reason": picked(*ENDINGS)})
            | ANY_JSON,
            max_size=2,
        )
    },
    optional={
        "usage": st.dictionaries(picked("prompt_tokens", "completion_tokens"), picked(*COUNTS)),
        "model": picked(*MODELS),
    },
)
USUAL = {
    "choices": [{"message": {"content": "Answer: Rome"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3},
}


def twice(content: bytes) -> bytes:
    """Return the JSON text of an object with all its keys repeated."""
    return content[:-1] + b", " + content[1:] if content.startswith(b'{"') else content


BODIES = (COMPLETIONS | ANY_JSON | st.just(USUAL)).map(lambda value: json.dumps(value).encode())
RESPONSES = st.one_of(
    *(BODIES, BODIES, BODIES.map(twice), st.binary(max_size=20)),
    st.tuples(BODIES, st.integers(0, 90)).map(lambda cut: cut[0][: cut[1]]),
    st.tuples(picked(400, 401, 404, 429, 500), BODIES),
)
"""The bodies of completions and of all else, or a status of a refusal and its body."""


class Unlimited:
    """A limiter that never waits."""

    @contextmanager
    def admitted(self, tokens: int) -> Iterator[Admission]:
        yield Admission(tokens, 0.0, 0.0, tokens)

    def pause(self, seconds: float) -> None: ...

    def sleep(self, seconds: float) -> None: ...

    def stop(self, reason: StopRunError) -> None: ...


@dataclass
class Client:
    """A client that receives these responses in turn, and the usual completion after them."""

    responses: list[Any] = field(default_factory=list)
    bodies: int = 0

    def post(self, path: str, **_: Any) -> bytes:
        from openai import DEFAULT_CONNECTION_LIMITS, APIStatusError

        response = self.responses.pop(0) if self.responses else json.dumps(USUAL).encode()
        if isinstance(response, bytes):
            self.bodies += 1
            return response
        status, content = response
        # httpx or httpx2, depending on openai's version
        http: Any = import_module(type(DEFAULT_CONNECTION_LIMITS).__module__.partition(".")[0])
        request = http.Request("POST", "http://here/v1")
        refused = http.Response(status, content=content, request=request)
        raise APIStatusError("refused", response=refused, body=None)


class ListedEndpoint(OpenAIEndpoint):
    """The endpoint of llm=openai_compatible with a client that has a list of responses."""

    def __init__(self) -> None:
        usual = configure("llm=openai_compatible").resolved["llm"]["build"]["endpoint"]
        usual.pop("_target_")
        super().__init__(**{**usual, "tries": 2, "limits": Unlimited()})
        self.client = Client()

    def _connect(self) -> Client:
        return self.client


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of a request: its answer if there is one, its usage, and its error."""

    answer: str | None
    usage: Usage
    error: Exception | None


class Desk:
    """A model on a store, which asks the same request again for each list of responses."""

    def __init__(self, folder: Path) -> None:
        store = folder / "calls.sqlite"
        self._endpoint = ListedEndpoint()
        self._model = StoredChatModel(
            endpoint=self._endpoint,
            store=str(store),
            attempts=2,
            repeat=0,
            budget_dollars=None,
            prices="2026-11-21",
        )
        self._rows = sqlite3.connect(store)
        self._repeats = count()

    def check(self, responses: list[Any]) -> None:
        """Check the stored rows and the usage of a request, and that asking again sends nothing."""
        client, repeat = self._endpoint.client, next(self._repeats)
        client.responses, client.bodies = [*responses], 0
        (before,) = self._rows.execute("SELECT count(*) FROM calls").fetchone()
        asked = self._ask(repeat)
        rows = self._rows.execute(
            "SELECT outcome, prompt_tokens FROM calls WHERE id > ?", (before,)
        ).fetchall()
        accepted = asked.answer is not None
        is_refused = not accepted and not isinstance(asked.error, UnusableReplyError)
        assert len(rows) == client.bodies + is_refused  # the refusal has a row too
        assert {outcome for outcome, _ in rows} <= {"ok", "rejected", "truncated", "error"}
        replies = [(outcome, tokens) for outcome, tokens in rows if outcome != "error"]
        assert [outcome for outcome, _ in replies].count("ok") == accepted
        if isinstance(asked.error, StopRunError):
            return  # nothing is recorded for the question, so it has no usage
        usage = asked.usage
        assert usage.calls == len(replies) == accepted + usage.rejected_replies
        assert usage.prompt_tokens == sum(tokens for _, tokens in replies)
        assert all(1 <= number <= usage.calls for number in usage.remarks.values())
        if accepted:
            client.responses, bodies = [], client.bodies
            assert self._ask(repeat) == asked
            assert client.bodies == bodies

    def _ask(self, repeat: int) -> Asked:
        model = self._model.repeated(repeat)
        try:
            return Asked(*model.ask(REQUEST, parse_answer), None)
        except (ModelUnavailableError, StopRunError) as error:
            return Asked(None, getattr(error, "usage", Usage()), error)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("desk"))


@settings(max_examples=100)
@given(responses=st.lists(RESPONSES, min_size=1, max_size=5))
def test_each_response_is_one_row_and_each_reply_is_used_or_rejected(
    desk: Desk, responses: list[Any]
) -> None:
    desk.check(responses)
