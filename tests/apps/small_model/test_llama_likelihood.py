"""Requests to llama.cpp's server for a likelihood, and the replies that are refused."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from remem.apps.small_model.llama_likelihood import ask_llama
from remem.llm.endpoint import EndpointError
from remem.llm.likelihood import LikelihoodRequest
from remem.types import Usage

REQUEST = LikelihoodRequest("judge", "The answer is:", " 7 May")
STEPS = [{"id": 216, "logprob": -0.5}, {"id": 39, "logprob": -3.25}, {"id": 2405, "logprob": 0}]
COMPLETION = {"completion_probabilities": STEPS, "tokens_evaluated": 6, "tokens_predicted": 3}
Asked = list[tuple[str, Any]]


@contextmanager
def serving(replies: dict[str, Any], status: int = 200) -> Iterator[tuple[str, Asked]]:
    asked: Asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, json.loads(body)))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(replies[self.path]).encode())

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def told(completion: Any, tokens: Any = (216, 39, 2405)) -> dict[str, Any]:
    return {"/tokenize": {"tokens": list(tokens)}, "/completion": completion}


def test_the_tokens_of_the_text_are_forced_one_after_the_other() -> None:
    with serving(told(COMPLETION)) as (url, asked):
        answered = ask_llama(url, REQUEST, 5)
    assert json.loads(answered.reply.text) == [-0.5, -3.25, 0.0]
    assert answered.reply.usage == Usage(1, 6, 3)
    (_, tokenised), (_, forced) = asked
    assert tokenised == {"content": " 7 May", "add_special": False}
    assert forced == {
        "prompt": "The answer is:",
        "n_predict": 3,
        "n_probs": 1,
        "temperature": 0,
        "grammar": "root ::= <[216]> <[39]> <[2405]>",
    }


@pytest.mark.parametrize(
    ("completion", "complaint"),
    [
        (COMPLETION | {"completion_probabilities": STEPS[:2]}, "expected \\[216, 39, 2405\\]"),
        (COMPLETION | {"completion_probabilities": STEPS[::-1]}, "expected \\[216, 39, 2405\\]"),
        ({"content": "x"}, "sent no probabilities"),
        (COMPLETION | {"completion_probabilities": [None]}, "sent no probabilities"),
        (
            COMPLETION | {"completion_probabilities": [*STEPS[:2], {"id": 2405, "logprob": 0.5}]},
            "expected log-probabilities of at most 0",
        ),
        ([1], "sent \\[1\\]"),
    ],
)
def test_a_reply_that_is_no_likelihood_of_these_tokens_is_refused(
    completion: Any, complaint: str
) -> None:
    with serving(told(completion)) as (url, _), pytest.raises(EndpointError, match=complaint):
        ask_llama(url, REQUEST, 5)


def test_a_text_without_tokens_is_refused() -> None:
    with serving(told(COMPLETION, ())) as (url, asked):
        with pytest.raises(EndpointError, match="returned no tokens for the text"):
            ask_llama(url, REQUEST, 5)
        assert len(asked) == 1


def test_a_refusal_and_a_silent_server_are_told() -> None:
    with (
        serving(told(COMPLETION), status=400) as (url, _),
        pytest.raises(EndpointError, match=r"answered 400: .*tokens") as refused,
    ):
        ask_llama(url, REQUEST, 5)
    with pytest.raises(EndpointError, match="did not answer") as silent:
        ask_llama(url, REQUEST, 5)
    assert (refused.value.retryable, silent.value.retryable) == (False, True)
