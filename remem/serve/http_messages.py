"""The requests and replies of routes; errors have OpenAI's form and no stack traces."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose body, if it has one, is JSON.

    `path` is the path of the route; `label` is the prefix before it, such as "/run/r1/history/h2",
    which identifies the calls of a client; `raw` are the bytes of the body.
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
        cut_at: The connection is closed after this many bytes of the body; None sends the whole
        body.
        count: Called with 1 before the last bytes are sent, so that a client with the whole reply
        finds it counted, and with -1 if they could not be sent.
    """

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON
    cut_at: int | None = None
    count: Callable[[int], None] | None = None


Route = Callable[[Request], Reply]
Routes = Mapping[tuple[str, str], Route]
"""Routes by method and path, such as ("POST", "/v1/embeddings")."""


class RequestError(Exception):
    """A request is refused with this HTTP status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def json_reply(content: object) -> Reply:
    """Return a reply with a JSON body."""
    return Reply(json.dumps(content).encode())


def error_reply(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an error in the form that OpenAI's clients read.

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
