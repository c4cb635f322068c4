"""What reads what an endpoint sends: chat completions, embeddings, and how long to wait."""

from datetime import UTC, datetime
from functools import cache
from random import Random

import numpy as np
from fuzzing.harness import Target
from fuzzing.mutation import changed_document, changed_text, deep, some_text

from remem.embed.api import ApiEmbedder
from remem.errors import ModelUnavailableError, UnhealthyMemoryError
from remem.llm.completion import read_completion
from remem.llm.endpoint import EndpointError
from remem.llm.http_client import read_retry_after

COMPLETION = {
    "id": "x",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": "Kres",
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
}
EMBEDDINGS = {
    "object": "list",
    "model": "m",
    "data": [
        {"object": "embedding", "index": at, "embedding": vector}
        for at, vector in enumerate(([0.6, 0.8], [0.8, 0.6]))
    ],
    "usage": {"prompt_tokens": 4, "total_tokens": 4},
}


def _completion(rng: Random) -> bytes:
    if rng.random() < 0.01:
        return f'{{"choices": {deep(rng)}}}'.encode()
    return changed_document(rng, COMPLETION)


def read_chat(content: bytes) -> None:
    reply = read_completion(content)
    assert isinstance(reply.text, str) and reply.usage.calls == 1
    assert min(reply.usage.prompt_tokens, reply.usage.completion_tokens) >= 0


def _embeddings(rng: Random) -> bytes:
    return changed_document(rng, EMBEDDINGS)


class Saying:
    """A client whose endpoint says what is drawn."""

    content = b""

    def post(self, path: str, **_: object) -> bytes:
        return self.content


@cache
def embedder() -> ApiEmbedder:
    made = ApiEmbedder(
        base_url="http://127.0.0.1:9/v1",
        api_key_variable=None,
        model="m",
        dimension=2,
        instructions=None,
        sends_role=False,
        batch_size=2,
        timeout_seconds=5,
        retries=0,
        calls=None,
    )
    made._client = Saying()
    return made


def read_embeddings(content: bytes) -> None:
    embedder()._client.content = content
    vectors = embedder().embed_documents(["a", "b"])
    assert vectors.shape == (2, 2)
    assert np.isfinite(vectors).all()


def _headers(rng: Random) -> dict[str, str]:
    known = (
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "120",
        "0.5",
        "1e3",
        "Fri, 31 Dec 9999 23:59:59 -2400",
    )
    name = rng.choice(("retry-after", "retry-after-ms", "Retry-After"))
    value = changed_text(rng, rng.choice(known), 3) if rng.random() < 0.8 else some_text(rng)
    return {name: value, "retry-after": rng.choice(known) if rng.random() < 0.3 else value}


def read_headers(headers: dict[str, str]) -> None:
    seconds = read_retry_after(headers, datetime(2026, 1, 1, tzinfo=UTC))
    assert seconds is None or (seconds >= 0 and np.isfinite(seconds))


TARGETS = (
    Target("endpoints: chat completions", _completion, read_chat, (EndpointError,)),
    Target(
        "endpoints: embeddings",
        _embeddings,
        read_embeddings,
        (ModelUnavailableError, UnhealthyMemoryError),
    ),
    Target("endpoints: Retry-After", _headers, read_headers, ()),
)
