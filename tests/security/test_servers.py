"""Every server that a command starts: where it listens, and which requests it refuses."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from remem.cli import serve
from remem.cli.serve import embeddings, stub
from remem.errors import UsageError
from remem.serve.http_handler import NOTHING
from remem.serve.server import MAX_BODY_BYTES

ROOT = Path(__file__).parents[2]
PATHS = {"embedder": "/v1/embeddings"}
TOKEN = "of-the-gateway"
JSON = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
MINE = b"[]"
"""Handed to the route, which refuses it with 400."""


def serve_gateway() -> None:
    from remem.apps.rivals.gateway import gateway

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("remem.apps.rivals.gateway_server.token_urlsafe", lambda _: TOKEN)
        gateway(["llm=loopback-stub", "embedder=hashing"], port=0)


COMMANDS = {
    "stub": lambda: stub(port=0),
    "embedder": lambda: embeddings(["embedder=hashing"], port=0),
    "gateway": serve_gateway,
}
OF_AN_APP = {"gateway": pytest.mark.app("rivals")}


@pytest.fixture(params=[pytest.param(name, marks=OF_AN_APP.get(name, ())) for name in COMMANDS])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a server as its command does; give its address and the path of its POST requests."""
    bound: list[tuple[str, int]] = []
    bind = socket.socket.bind

    def noting(self: socket.socket, address: tuple[str, int]) -> None:
        bind(self, address)
        bound.append(self.getsockname())

    monkeypatch.setattr(socket.socket, "bind", noting)
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed-here")
    with ExitStack() as running:
        monkeypatch.setattr(
            serve, "serve_until_interrupt", lambda one, told: running.enter_context(one)
        )
        COMMANDS[request.param]()
        [(host, port)] = bound
        yield f"{host}:{port}{PATHS.get(request.param, '/v1/chat/completions')}"


def sent(server: str, method: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, bool]:
    """Return the status, and whether the reply allows other sites to read it."""
    place, slash, path = server.partition("/")
    client = http.client.HTTPConnection(place, timeout=60)
    client.request(method, slash + path, body, headers)
    reply = client.getresponse()
    assert reply.headers["Content-Security-Policy"] == NOTHING
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert json.loads(reply.read())["error"]["message"]
    client.close()
    return reply.status, any(name.startswith("Access-Control") for name, _ in reply.getheaders())


def test_it_listens_on_the_loopback_alone(server: str) -> None:
    assert server.startswith("127.0.0.1:")


def test_requests_of_other_sites_are_refused(server: str) -> None:
    assert sent(server, "POST", JSON, MINE) == (400, False)
    for foreign in (
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "elsewhere.example"},  # a name of theirs that leads here
        {"Host": "0.0.0.0"},
    ):
        assert sent(server, "POST", JSON | foreign, MINE) == (403, False), foreign
    # What a browser sends without asking first, and what it asks.
    for simple in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert sent(server, "POST", JSON | {"Content-Type": simple}, MINE) == (415, False)
    assert sent(server, "OPTIONS", {"Access-Control-Request-Method": "POST"}) == (501, False)


def test_an_oversized_request_is_refused_before_it_is_read(server: str) -> None:
    for length in (MAX_BODY_BYTES + 1, 10**30):
        assert sent(server, "POST", JSON | {"Content-Length": str(length)}) == (413, False)
    assert sent(server, "POST", JSON, b"[" * 100_000) == (400, False)


@pytest.mark.app("rivals")
@pytest.mark.parametrize("server", ["gateway"], indirect=True)
def test_without_the_token_of_a_gateway_nobody_is_answered(server: str) -> None:
    host = server.partition("/")[0]
    kind = {"Content-Type": "application/json"}
    for shown in (
        {},
        *({"Authorization": value} for value in ("", "Bearer ", "Bearer any", TOKEN)),
        *({"Authorization": f"Bearer {value}"} for value in (TOKEN[:-1], f"{TOKEN}x", "\xe9")),
        {"X-Api-Key": TOKEN},
    ):
        for path in ("/v1/chat/completions", "/run/r/h/index/v1/embeddings"):
            # What is announced is not waited for: it is refused before it is read.
            assert sent(f"{host}{path}", "POST", kind | shown, MINE) == (401, False)
        for path in ("/usage", "/v1/models"):
            assert sent(f"{host}{path}", "GET", shown) == (401, False)
    assert sent(f"{host}/v1/chat/completions", "POST", JSON, MINE) == (400, False)


def test_an_embedder_that_sends_a_key_is_not_lent_without_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setattr(serve, "serve_until_interrupt", lambda *_: None)
    with pytest.raises(UsageError, match=r"OPENAI_API_KEY.*no token.*remem serve gateway"):
        embeddings(["embedder=api"], port=0)
    embeddings(["embedder=served"], port=0)  # no key: nothing to spend
