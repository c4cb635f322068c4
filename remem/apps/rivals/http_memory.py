"""A memory on an HTTP server, local or remote; settings name the routes that add and search.

Only the command line or a trusted folder can name the address.
"""

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from http import HTTPStatus
from secrets import token_hex
from threading import Thread
from typing import Any
from urllib.parse import quote, urlsplit

from remem.apps.rivals.mcp_results import ResultPaths, ToolResult
from remem.apps.rivals.program import FoundItem, Piece, ProgramError, Stored, Unit, fields_of
from remem.apps.rivals.program_memory import LONGEST_REASON, ProgramMemory
from remem.apps.rivals.tool_arguments import (
    NAMESPACE,
    SEARCH_FIELDS,
    STORE_FIELDS,
    check_template,
    filled,
    placeholders,
)
from remem.errors import UsageError
from remem.llm.http_client import (
    LOOPBACK,
    describe_missing_key,
    guarded_client,
    read_retry_after,
    shown_address,
)
from remem.types import Query

METHODS = ("GET", "POST", "PUT")
MOST_BYTES = 16 * 1024 * 1024
"""The size in bytes of the largest reply, unpacked, as for a line of a program."""
WAITED_FOR = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""The statuses of requests that were not carried out, so that they can be sent again."""
SHORTEST_WAIT = 0.5


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, such as "POST /v1/memories", and the template of its arguments.

    Arguments are sent as a JSON object or, with GET, in the query string. The path may have
    placeholders.
    """

    method: str
    path: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class HttpServer:
    """An HTTP server that all histories of a run use."""

    label: str
    address: str
    headers: Mapping[str, str]
    timeout_seconds: float

    def ask(self, route: Route, values: Mapping[str, str | int]) -> str:
        """Send a request and return the answer; wait and try again if the server asks to wait.

        Raises:
            ProgramError: The server cannot be reached, takes too long, refuses the request or sends
                too much data.
        """
        path = filled(route.path, {key: quote(str(text), safe="") for key, text in values.items()})
        arguments = filled(route.arguments, values)
        sent = {"params": arguments} if route.method == "GET" else {"json": arguments}
        end = time.monotonic() + self.timeout_seconds
        pause = SHORTEST_WAIT
        while True:
            response = self._send(route.method, f"{self.address.rstrip('/')}{path}", end, sent)
            if response.status_code not in WAITED_FOR:
                return self._checked(response, f"{route.method} {route.path}")
            stated = read_retry_after(response.headers, datetime.now(UTC))
            pause = 2 * pause if stated is None else stated
            if time.monotonic() + pause > end:
                raise ProgramError(
                    f"{self.label} answered with status {response.status_code}; a retry after "
                    f"{pause:,.0f} s would exceed "
                    f"method.build.timeout_seconds={self.timeout_seconds:g}",
                    usable=True,
                )
            time.sleep(pause)

    def _send(self, method: str, address: str, end: float, sent: Mapping[str, Any]) -> Any:
        request = partial(self._client.request, method, address, headers=dict(self.headers), **sent)
        try:
            return _within(max(end - time.monotonic(), 0.0), request)
        except Exception as error:  # of httpx or httpx2, and openai's for a refused reply
            raise ProgramError(
                f"{self.label} at {shown_address(self.address)} gave no answer to {method}: "
                f"{type(error).__name__}: {str(error)[:LONGEST_REASON]}",
                usable=True,
            ) from error

    def _checked(self, response: Any, what: str) -> str:
        if response.is_success:
            text: str = response.text
            return text
        hint = ""
        if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            hint = "; set method.build.key_variable to the name of the variable with the key"
        raise ProgramError(
            f"{self.label} answered {what} with status {response.status_code}: "
            f"{response.text[:LONGEST_REASON]!r}{hint}",
            usable=True,
        )

    @cached_property
    def _client(self) -> Any:
        return guarded_client(MOST_BYTES, trust_env=False, timeout=self.timeout_seconds)


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Return the result of a call, with a time limit that holds even if bytes arrive slowly.

    After the limit, the call continues in its own thread until its client gives up.

    Raises:
        TimeoutError: The call takes longer than `seconds`.
    """
    done: Future[Any] = Future()

    def run() -> None:
        try:
            done.set_result(call())
        except Exception as error:  # noqa: BLE001  raised again in the thread that waits
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(timeout=seconds)


@dataclass(frozen=True, slots=True)
class HttpConnection:
    """A connection to a server for one history, with its own namespace on the server."""

    server: HttpServer
    store_route: Route
    search_route: Route
    paths: ResultPaths
    namespace: str

    @property
    def program(self) -> str:
        """Return the address of the server."""
        return shown_address(self.server.address)

    def store(self, piece: Piece) -> Stored:
        """Add a piece; do not repeat a failed request, because the piece may have been added."""
        try:
            answer = self.server.ask(self.store_route, fields_of(piece, self.namespace))
            return self.paths.stored(ToolResult((answer,)))
        except ProgramError as error:
            return Stored(0, lost=str(error))

    def search(self, query: Query, top_k: int) -> tuple[FoundItem, ...]:
        """Return the items that the search route finds for a query."""
        values: dict[str, str | int] = {
            "query": query.text,
            "top_k": top_k,
            NAMESPACE: self.namespace,
        }
        return self.paths.items_of(ToolResult((self.server.ask(self.search_route, values),)))

    def close(self) -> None:
        """Do nothing: the server keeps running, as other histories use it too."""


def http_memory(
    *,
    label: str,
    address: str,
    key_variable: str | None,
    key_header: str,
    store_route: str,
    store_arguments: Mapping[str, Any] | None,
    stored_list: str,
    stored_id: str,
    search_route: str,
    search_arguments: Mapping[str, Any] | None,
    found_list: str,
    found_text: str,
    found_id: str,
    found_time: str,
    unit: Unit,
    top_k: int,
    timeout_seconds: float,
) -> ProgramMemory:
    """Return a memory that uses a server; nothing is sent before the first use.

    Args:
        label: The name of the server in errors.
        address: The address of the server; it must be https unless the server is on this machine.
        key_variable: The environment variable with the key of the server; None if the server needs
            no key.
        key_header: The header with the key, such as "Authorization: Bearer {key}".
        store_route: The method and path that add a message.
        store_arguments: The arguments that add a message, with placeholders such as {text}.
        stored_list: The path of the list of stored items in the answer; "" if there is no list.
        stored_id: The path of an id in a stored item.
        search_route: The method and path that search.
        search_arguments: The arguments of a search, with {query}, {top_k} and {namespace}.
        found_list: The path of the list of found items.
        found_text: The path of the text in a found item.
        found_id: The path of the id in a found item: the id that we sent, or one that the server
            assigned.
        found_time: The path of the date in a found item.
        unit: What one request adds: a message or a session.
        top_k: The maximum number of items that a query recalls.
        timeout_seconds: The maximum time of a request, including waits that the server asks for.

    Raises:
        UsageError: A setting is missing or impossible, or the key is not set.
    """
    _check_address(address)
    routes = (
        _route("store", store_route, store_arguments, STORE_FIELDS),
        _route("search", search_route, search_arguments, SEARCH_FIELDS),
    )
    if not found_list:
        raise UsageError(
            "method.build.found_list is empty, expected the path of the found items in the "
            'reply ("." if the reply is their list)'
        )
    paths = ResultPaths(stored_list, stored_id, found_list, found_text, found_id, found_time, "")
    headers = _key_headers(address, key_variable, key_header) if key_variable else {}
    server = HttpServer(label, address, headers, timeout_seconds)

    def connect(history_id: str) -> HttpConnection:
        return HttpConnection(server, *routes, paths, f"{history_id}-{token_hex(4)}")

    return ProgramMemory(label=label, connect=connect, unit=unit, top_k=top_k)


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    schemes = ("http", "https") if parts.hostname in LOOPBACK else ("https",)
    if not parts.hostname or parts.scheme not in schemes or parts.username or parts.query:
        raise UsageError(
            f"method.build.address is {shown_address(address)!r}, expected an address without a "
            f"key, such as https://api.example.com or http://127.0.0.1:8000"
        )


def _route(
    name: str, route: str, arguments: Mapping[str, Any] | None, known: tuple[str, ...]
) -> Route:
    method, _, path = route.partition(" ")
    if method not in METHODS or not path.startswith("/"):
        raise UsageError(
            f"method.build.{name}_route is {route!r}, expected a method and a path, such as "
            f"POST /v1/memories"
        )
    check_template(f"method.build.{name}_arguments", arguments, known)
    assert arguments is not None  # checked above
    check_template(f"method.build.{name}_route", {"path": path}, known)
    if NAMESPACE not in placeholders([path, arguments]):
        raise UsageError(
            f"one server serves all histories, so each request must name its history: use "
            f"{{namespace}} in method.build.{name}_arguments "
            f"or method.build.{name}_route"
        )
    return Route(method, path, arguments)


def _key_headers(address: str, variable: str, header: str) -> dict[str, str]:
    key = os.environ.get(variable, "")
    name, _, template = header.partition(": ")
    if "{key}" not in template:
        raise UsageError(
            f"method.build.key_header is {header!r}, expected a header with {{key}}, such as "
            f"Authorization: Bearer {{key}}"
        )
    if not key:
        shown = shown_address(address)
        raise UsageError(describe_missing_key(shown, variable, "method.build.key_variable"))
    return {name: template.replace("{key}", key)}
