"""A memory behind HTTP in ten lines, and versions of it with a fault."""

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

KEY = "a-key-of-the-test"
Answer = Callable[[Any], None]


class Memory(BaseHTTPRequestHandler):
    """Keeps texts by user, and finds those that share a word with the query."""

    texts: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        """Add a text, or search."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/add":
            self.texts.append(asked)
            return self.say({"results": [{"id": asked["id"]}]})
        words = set(asked["query"].lower().strip("?").split())
        hits = [text for text in self.texts if text["user"] == asked["user"]]
        return self.say({"hits": [hit for hit in hits if words & set(hit["text"].lower().split())]})

    def say(self, value: object, status: int = 200, **headers: str) -> None:
        """Answer with JSON."""
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def fails(handler: Memory) -> None:
    """Reply with an internal server error."""
    handler.say({"error": "out of order"}, 500)


def is_busy_once(handler: Memory) -> None:
    """Ask the client to wait for a moment, the first time only."""
    if not handler.server.__dict__.setdefault("asked", []):
        handler.server.__dict__["asked"].append(1)
        return handler.say({"error": "busy"}, 429, Retry_After="0.2")
    return Memory.do_POST(handler)


def is_busy(handler: Memory) -> None:
    """Ask the client to wait for an hour."""
    handler.say({"error": "busy"}, 429, Retry_After="3600")


def sleeps(handler: Memory) -> None:
    """Answer after a minute."""
    time.sleep(60)


def drips(handler: Memory) -> None:
    """Send a header byte by byte."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
    for _ in range(600):
        time.sleep(0.1)
        handler.wfile.write(b"a")


def floods(handler: Memory) -> None:
    """Send a gigabyte."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(10**9))
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" " * 10**6)


def redirects(handler: Memory) -> None:
    """Send the caller elsewhere."""
    handler.say({}, 302, Location="http://127.0.0.1:9/elsewhere")


def asks_for_a_key(handler: Memory) -> None:
    """Reply only to requests with the right key."""
    if handler.headers["Authorization"] != f"Bearer {KEY}":
        return handler.say({"error": handler.headers["Authorization"]}, 401)
    return Memory.do_POST(handler)


def is_not_json(handler: Memory) -> None:
    """Reply with an HTML page."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b"<html>")


def started_server() -> str:
    """Start a server without a fault, which ends with the process, and return its address."""
    server = serving()
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def serving(do_post: Answer | None = None) -> ThreadingHTTPServer:
    """Return a server with its own texts, and with a fault if one is given."""
    methods = {"texts": [], **({} if do_post is None else {"do_POST": do_post})}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Served", (Memory,), methods))
    server.daemon_threads = True
    return server
