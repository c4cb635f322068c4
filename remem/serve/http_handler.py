"""The HTTP/1.1 handler of this package's server: it checks requests and sends replies.

The server is only for our own clients. To stop the pages of other sites from using it through a
browser, even by DNS rebinding, it checks the Origin and Host headers and sends no CORS headers.
Every reply has a content security policy. Unread bytes of a body are never parsed as the next
request.
"""

import hmac
import ipaddress
import json
import logging
import re
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import (
    FirstHeaderLineIsContinuationDefect,
    HeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)
from http.server import BaseHTTPRequestHandler
from typing import Any

from remem.files.json_text import json_value

JSON = "application/json"
NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""The content security policy of data: a browser that shows them loads and runs nothing."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request; its body is parsed JSON, or None for a GET.

    `path` is the path of the route. `label` is the prefix before this path, such as
    "/run/r1/history/h2", with which a client marks its calls. `raw` is the body as bytes.
    """

    method: str
    path: str
    label: str
    raw: bytes
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a request.

    Attributes:
        content: The body.
        status: The HTTP status.
        headers: Further headers.
        content_type: The type of the body.
        policy: The content security policy.
        cut_at: The connection is closed after this many bytes of the body; None sends the whole
        body.
        count: Called with 1 before the last bytes are sent, so that a reply is counted before the
        client has all of it. Called with -1 if the last bytes could not be sent.
    """

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON
    policy: str = NOTHING
    cut_at: int | None = None
    count: Callable[[int], None] | None = None


Route = Callable[[Request], Reply]
Routes = Mapping[tuple[str, str], Route]
"""Routes by method and path, such as ("POST", "/v1/embeddings")."""


class RequestError(Exception):
    """Raised to refuse a request with an HTTP status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def json_reply(content: object) -> Reply:
    """Return a reply with a JSON body."""
    return Reply(json.dumps(content).encode())


def error_reply(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an error reply in the format that OpenAI's clients read.

    >>> error_reply(404, "no such path").content
    b'{"error": {"message": "no such path", "type": "not_found", "param": null, "code": null}}'
    """
    kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": message, "type": kind, "param": None, "code": None}
    return Reply(json.dumps({"error": error}).encode(), status, headers or {})


_KINDS = {
    401: "authentication_error",
    403: "forbidden",
    404: "not_found",
    429: "rate_limit_exceeded",
}


log = logging.getLogger(__name__)

EVERYTHING = "/*"
"""The path of a route for all paths that no other route has."""
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?", re.ASCII | re.IGNORECASE)
SINGLE = ("Content-Length", "Host", "Origin", "Sec-Fetch-Site", "Authorization")
"""Headers that may occur only once, because another reader could take the second value."""
LABEL = "/run/"
"""The prefix of a path that identifies a run."""
IDLE_SECONDS = 75.0
"""Connections without a request for this many seconds are closed."""
DISCARD_SECONDS, LONGEST_DISCARD = 1.0, 5.0
HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
MALFORMED = (
    FirstHeaderLineIsContinuationDefect,
    HeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)
"""The defects that Python reports if it does not read each line as a header."""
MOST_DIGITS = 18
"""Maximum digits of a Content-Length, because Python refuses to convert very long ones."""


class HttpHandler(BaseHTTPRequestHandler):
    """Answers the requests of one connection.

    Args:
        routes: The routes by method and path.
        max_body_bytes: The largest accepted body, in bytes.
        token: The API key that requests must send; None accepts all requests.
        base: The arguments of the base class: socket, address and server.
    """

    protocol_version = default_request_version = "HTTP/1.1"  # no reply is without headers
    disable_nagle_algorithm = True  # else each call waits 40 ms for a delayed acknowledgement
    timeout = IDLE_SECONDS

    def __init__(self, *base: Any, routes: Routes, max_body_bytes: int, token: str | None) -> None:
        self._routes = routes
        self._max_body_bytes = max_body_bytes
        self._token = token
        super().__init__(*base)

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._answer()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a malformed HTTP request with an error in JSON."""
        self._refuse(int(code), message or "the request cannot be read")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing to standard error."""
        log.debug(format, *args)

    def _answer(self) -> None:
        try:
            request, route = self._request()
        except RequestError as error:
            self._refuse(error.status, str(error))
            return
        self._send(_reply(route, request))

    def _refuse(self, status: int, message: str) -> None:
        """Send an error and close the connection, as the body of the request was not read."""
        self.close_connection = True
        self._send(error_reply(status, message))
        self._discard()

    def _request(self) -> tuple[Request, Route]:
        self._check_headers()
        self._check_sender()
        path, label, route = self._find_route()
        raw = self._body() if self.command == "POST" else b""
        body = _parsed(raw) if self.command == "POST" else None
        return Request(self.command, path, label, raw, body), route

    def _check_headers(self) -> None:
        """Refuse a request whose headers leave unclear where the request ends."""
        lengths = self.headers.get_all("Content-Length", [])
        is_cut = any(isinstance(defect, MALFORMED) for defect in self.headers.defects)
        if is_cut or not all(map(HEADER_NAME.fullmatch, self.headers)):
            raise RequestError(400, "a line of the headers is malformed")
        for name in SINGLE:
            if len(self.headers.get_all(name, [])) > 1:
                raise RequestError(400, f"the request has more than one {name}")
        has_body = "Transfer-Encoding" in self.headers or lengths not in ([], ["0"])
        if has_body and self.command != "POST":
            raise RequestError(400, f"a {self.command} request must have no body")

    def _check_sender(self) -> None:
        """Refuse requests from other sites, to a host other than loopback, or without the token."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if not _is_loopback(host):
            raise RequestError(
                403, f"this server does not answer for the host {host!r}; use a loopback address"
            )
        foreign_site = self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        if foreign_site or (origin is not None and origin != f"http://{host}"):
            raise RequestError(403, "requests from other sites are refused")
        if self._token is not None and not self._shows(self._token):
            raise RequestError(
                401, "the API key is missing or wrong: send the token of this server as the key"
            )

    def _shows(self, token: str) -> bool:
        shown = self.headers.get("Authorization", "").encode()
        return hmac.compare_digest(shown, f"Bearer {token}".encode())

    def _find_route(self) -> tuple[str, str, Route]:
        """Return the path, label and route of the request."""
        asked = self.path.partition("?")[0]
        paths = {path for _, path in self._routes}
        path = next((ending for ending in paths if asked.endswith(ending)), "")
        if not path and (self.command, EVERYTHING) in self._routes:
            return asked, "", self._routes[self.command, EVERYTHING]
        label = asked.removesuffix(path)
        if not path or not (label == "" or label.startswith(LABEL)):
            raise RequestError(
                404, f"unknown path {asked}; choose one of {', '.join(sorted(paths))}"
            )
        if (self.command, path) not in self._routes:
            raise RequestError(405, f"{path} does not support {self.command}")
        return path, label, self._routes[self.command, path]

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise RequestError(415, f"the content type is {kind!r}, expected {JSON!r}")
        length = self._announced()
        if length is None or "Transfer-Encoding" in self.headers:
            raise RequestError(411, "a body needs a Content-Length")
        if length > self._max_body_bytes:
            raise RequestError(413, f"the body may have at most {self._max_body_bytes} bytes")
        raw = self.rfile.read(length)
        if len(raw) < length:
            raise ConnectionError("the client disconnected in the middle of a body")
        return raw

    def _announced(self) -> int | None:
        """Return the Content-Length of the request, or None if it is missing or no number."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            return None
        return int(length) if len(length) <= MOST_DIGITS else 10**MOST_DIGITS

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.content)))
        self.send_header("Content-Security-Policy", reply.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "HEAD":
            return
        if reply.cut_at is not None:
            self.wfile.write(reply.content[: reply.cut_at])
            self.close_connection = True
            return
        if reply.count is not None:
            reply.count(1)
        try:
            self.wfile.write(reply.content)
        except OSError:
            if reply.count is not None:
                reply.count(-1)
            raise

    def _discard(self) -> None:
        """Discard incoming data for a limited time, so that the client can read the reply."""
        end = time.monotonic() + LONGEST_DISCARD
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(DISCARD_SECONDS)
            while time.monotonic() < end and self.rfile.read1(1 << 16):
                pass


def _reply(route: Route, request: Request) -> Reply:
    try:
        return route(request)
    except RequestError as error:
        return error_reply(error.status, str(error))
    except Exception:  # the client must not see internal errors
        log.exception("%s %s failed", request.method, request.path)
        return error_reply(500, "the server failed on this request; its log says why")


def _parsed(raw: bytes) -> Any:
    try:
        return json_value(raw)
    except ValueError as error:
        raise RequestError(400, "the body is not valid JSON") from error


def _is_loopback(host: str) -> bool:
    """Return whether a Host header names a loopback address.

    >>> [_is_loopback(host) for host in ("localhost:1", "[::1]", "[::1].example", "127.0.0.1.io")]
    [True, True, False, False]
    """
    match = HOST.fullmatch(host)
    try:
        name = match["name"].strip("[]").lower() if match else ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
