"""Fuzz the parsing of requests: the server core with the routes of the stub and the gateway.

Requests go through the server's handler with a fake socket: no port, no thread.
"""

import io
import json
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from fuzzing.harness import Target
from fuzzing.mutation import (
    STRINGS,
    changed_bytes,
    changed_document,
    changed_text,
    long_text,
)

from remem.embed.hashing import HashingEmbedder
from remem.protocols import ChatReply, ChatRequest, NativeCall
from remem.serve.http_handler import HttpHandler, Reply, Request, RequestError, Route, Routes
from remem.serve.stub.stub import StubServer
from remem.types import Usage

MOST_BODY_BYTES = 100_000
GATEWAY = "remem.apps.rivals.gateway_server"
CHAT = {
    "model": "loopback-stub",
    "messages": [
        {"role": "system", "content": "Extract the gists."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "[8 May 2023] Ann: I moved."}]},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "f",
                "description": "d",
                "parameters": {
                    "type": "object",
                    "properties": {"q": {"type": "string"}, "n": {"$ref": "#/$defs/n"}},
                    "$defs": {"n": {"anyOf": [{"type": "integer"}, {"enum": ["a"]}]}},
                    "required": ["q"],
                },
            },
        }
    ],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "r",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"gists": {"type": "array", "items": {"type": "string"}}},
                "required": ["gists"],
            },
        },
    },
    "max_tokens": 50,
    "temperature": 0,
    "n": 1,
}
EMBED = {
    "model": "loopback-stub",
    "input": ["Ann moved.", "Bob rows."],
    "encoding_format": "base64",
    "role": "query",
    "target": "fact",
    "dimensions": 8,
}
PATHS = (
    *("/v1/chat/completions", "/v1/embeddings", "/v1/models", "/usage", "/health", "/"),
    *("/run/r1/history/h2/v1/chat/completions", "//evil/v1/models", "/run/%00/v1/models"),
    *("/run/../v1/models", "http://evil/v1/models", "*", "/run/" + "x" * 70_000 + "/v1/models"),
)
HEADERS = (
    *("Host: 127.0.0.1", "Host: evil.example", "Host: [::1]:80", "Host: [", "Host: localhost:1"),
    *("Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "X: y" * 9000),
    *("Content-Type: application/json", "Content-Type: text/plain", "Transfer-Encoding: chunked"),
    *("Content-Length: 0", "Content-Length: -1", "Content-Length: " + "9" * 5000, ": x"),
    *("Expect: 1",),
    *("Content-Length: \u00b2", "Connection: keep-alive", "Connection: Upgrade"),
    *("Expect: 100-continue",),
)


class Pipe:
    """A socket that has received everything at once."""

    def __init__(self, received: bytes) -> None:
        self._received = io.BytesIO(received)
        self.sent = bytearray()

    def makefile(self, *_: object, **__: object) -> io.BytesIO:
        return self._received

    def sendall(self, content: bytes) -> None:
        self.sent += content

    def settimeout(self, seconds: float | None) -> None: ...

    def setsockopt(self, *_: object) -> None: ...

    def shutdown(self, how: int) -> None: ...

    def close(self) -> None: ...


class Echo:
    """A model that always gives the same reply."""

    def ask(self, request: ChatRequest, parse: Callable[[ChatReply], Any]) -> tuple[Any, Usage]:
        usage = Usage(1, len(request.messages), 1)
        calls = (NativeCall("f", "{}"),) if request.tools else ()
        return parse(ChatReply("ok", calls, False, usage)), usage


BROKEN: list[Exception] = []
"""What a route has raised although it is no refusal: the client is told of a 500 alone."""


def noting(route: Route, request: Request) -> Reply:
    try:
        return route(request)
    except RequestError:
        raise
    except Exception as error:
        BROKEN.append(error)
        raise


@cache
def routes(kind: str) -> Routes:
    return {place: partial(noting, route) for place, route in _routes(kind).items()}


def _routes(kind: str) -> Routes:
    if kind == "stub":
        return StubServer()._routes()
    embedder = HashingEmbedder(dimension=8)
    # Of an app, which may be removed.
    return import_module(GATEWAY).Gateway(Echo(), embedder, "loopback-stub")._routes()


def _request(rng: Random) -> bytes:
    """Return one or two requests, whole or changed in head, body or bytes."""
    content = b"".join(_one(rng) for _ in range(rng.choice((1, 1, 2))))
    return changed_bytes(rng, content) if rng.random() < 0.2 else content


def _one(rng: Random) -> bytes:
    body = _body(rng)
    method = rng.choice((*("POST",) * 12, "GET", "PUT", "OPTIONS", "HEAD", "po st", "\x00"))
    path = (
        rng.choice(PATHS[:2]) if rng.random() < 0.8 else rng.choice((*PATHS, rng.choice(STRINGS)))
    )
    version = "HTTP/1.1" if rng.random() < 0.95 else rng.choice(("HTTP/0.9", "HTTP/9", "", "X/1"))
    lines = [f"{method} {path} {version}", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines.append(f"Content-Length: {len(body)}")
    while rng.random() < 0.2:
        header = rng.choice(HEADERS)
        if rng.random() < 0.5:
            lines[rng.randrange(1, len(lines))] = header
        else:
            lines.append(header)
    head = "\r\n".join(lines)
    if rng.random() < 0.05:
        head = changed_text(rng, head)
    return head.encode("utf-8", "replace") + b"\r\n\r\n" + body


def _body(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.02:
        return json.dumps({**CHAT, "messages": [{"role": "user", "content": _said(rng)}]}).encode()
    return changed_document(rng, CHAT if rng.random() < 0.6 else EMBED)


def _said(rng: Random) -> str:
    return long_text(
        rng, ("Question: ", "[8 May 2023] Ann: ", "following format:", '{"', "\n", *STRINGS)
    )


def read_request(kind: str, content: bytes) -> None:
    pipe = Pipe(content)
    made = partial(HttpHandler, routes=routes(kind), max_body_bytes=MOST_BODY_BYTES, token=None)
    try:
        made(pipe, ("127.0.0.1", 1), None)
    except ConnectionError as error:
        assert str(error) == "the client disconnected in the middle of a body", error
    if BROKEN:
        raise BROKEN.pop()
    sent = bytes(pipe.sent)
    assert b"HTTP/1.1 500" not in sent, sent[:300]
    assert b"Traceback" not in sent


TARGETS = tuple(
    Target(f"requests: {kind}", _request, partial(read_request, kind), ())
    for kind in ("stub", "gateway")
    if kind != "gateway" or find_spec("remem.apps.rivals")
)
