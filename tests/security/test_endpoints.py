"""Hostile endpoints: redirects to another address, and replies that unpack to gigabytes."""

import gzip
import json
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from remem.cli.doctor_checks import _answers
from remem.embed.api import ApiEmbedder
from remem.errors import ModelUnavailableError
from remem.llm.endpoint import EndpointError
from remem.llm.http_client import guarded_client
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import LARGEST_REPLY, OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest

KEY = "sk-very-secret-0123"
SECRET = "Ann told nobody but her diary."
ASKED = ChatRequest("read", (ChatMessage("user", SECRET),))
MEBIBYTE = 2**20
Answer = tuple[int, dict[str, str], bytes]


class Hostile:
    """A server that gives one answer to every request, and records the requests."""

    def __init__(self) -> None:
        self.answer: Answer = (200, {}, b"{}")
        self.seen: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def do_GET(self) -> None:
                server.seen.append(str(self.headers["Authorization"]))
                status, headers, content = server.answer
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(OSError):  # whoever has read enough hangs up
                    self.wfile.write(content)

            def log_message(self, *parts: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Hostile]]:
    """Return a function that starts a hostile server."""
    monkeypatch.setenv("TEST_KEY", KEY)
    with ExitStack() as running:

        def started() -> Hostile:
            server = Hostile()
            threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True).start()
            running.callback(server.http.server_close)
            running.callback(server.http.shutdown)
            return server

        yield started


def ask_model(url: str) -> None:
    settings: dict[str, Any] = {"model": "m", "temperature": 0, "seed": 1, "max_output_tokens": 50}
    endpoint = OpenAIEndpoint(
        kind="openai-chat",
        base_url=url,
        key_variable="TEST_KEY",
        token_parameter="max_tokens",
        json_mode="text",
        tool_choice="auto",
        timeout_seconds=10,
        tries=3,
        limits=Limits(None, None, None),
        **settings,
    )
    endpoint.send(ASKED)


def embed(url: str) -> None:
    ApiEmbedder(
        base_url=url,
        api_key_variable="TEST_KEY",
        model="m",
        dimension=3,
        instructions=None,
        sends_role=False,
        batch_size=8,
        timeout_seconds=10,
        retries=0,
        calls=None,
    ).embed_documents([SECRET])


asking = pytest.mark.parametrize(
    ("ask", "error"), [(ask_model, EndpointError), (embed, ModelUnavailableError)]
)
Ask = Callable[[str], None]


@asking
@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_is_not_followed_and_its_address_is_named(
    hostile: Callable[[], Hostile], ask: Ask, error: type[Exception], status: int
) -> None:
    first, second = hostile(), hostile()
    first.answer = status, {"Location": f"{second.url}/elsewhere?{KEY}"}, b""
    with pytest.raises(error, match=f"redirects to {second.url}/elsewhere .status {status}.*"):
        ask(first.url)
    assert (len(first.seen), second.seen) == (1, [])


def test_doctor_takes_no_key_to_another_address(hostile: Callable[[], Hostile]) -> None:
    first, second = hostile(), hostile()
    first.answer = 307, {"Location": f"{second.url}/models"}, b""
    assert _answers(first.url, KEY).found == "127.0.0.1 answers 307"
    assert (first.seen, second.seen) == ([f"Bearer {KEY}"], [])


@asking
def test_a_packed_reply_takes_no_more_memory_than_a_reply_may_have(
    hostile: Callable[[], Hostile], ask: Ask, error: type[Exception]
) -> None:
    bomb = gzip.compress(b" " * (64 * MEBIBYTE), compresslevel=1)
    server = hostile()
    for packing in ("gzip", " GZIP", "gzip, gzip", "br", "deflate"):
        server.answer = 200, {"Content-Encoding": packing}, bomb
        tracemalloc.start()
        with pytest.raises(error, match=r"more than \d+ bytes|has the content encoding '"):
            ask(server.url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * LARGEST_REPLY, packing
    assert len(server.seen) == 5, "a reply that was refused is not asked for again"


def test_a_plain_reply_without_end_is_cut_too(hostile: Callable[[], Hostile]) -> None:
    server = hostile()
    server.answer = 500, {}, b" " * (2 * LARGEST_REPLY)
    with pytest.raises(EndpointError, match=f"more than {LARGEST_REPLY} bytes"):
        ask_model(server.url)


def test_a_packed_reply_of_the_usual_size_is_read(hostile: Callable[[], Hostile]) -> None:
    server = hostile()
    content = json.dumps({"said": "Ann moved." * 1000}).encode()
    server.answer = 200, {"Content-Encoding": "gzip"}, gzip.compress(content)
    with guarded_client(len(content)) as client:
        reply = client.post(server.url, json={})
        assert (reply.content, reply.request.headers["Accept-Encoding"]) == (content, "gzip")
    with guarded_client(len(content) - 1) as client, pytest.raises(Exception, match="more than"):
        client.post(server.url, json={})
