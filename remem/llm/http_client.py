"""HTTP connections to a server: address, key, error messages, and limits on replies.

The stored replies of a server are never used for another server, even if its model has the same
name: a run compares the addresses and stops if they differ. The address is not part of any key or
fingerprint, so that a finished run is found wherever its model was served.
"""

import math
import threading
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from remem.errors import OtherServerError

SETTINGS = "llm.build.endpoint"
"""Where a configuration holds the settings of an endpoint."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def needs_key(base_url: str) -> bool:
    """Return whether an endpoint needs a key; only loopback addresses need none."""
    return urlsplit(base_url).hostname not in LOOPBACK


def shown_address(base_url: str) -> str:
    """Return an address without user and password, and without a slash at its end."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")


def nobody_answers(error: Exception) -> bool:
    """Return whether an error means that the connection was refused or the host does not exist."""
    # httpx's or httpx2's, depending on openai's version, behind openai's own error
    return type(error.__cause__).__name__ == "ConnectError"


def describe_no_answer(address: str, error: Exception, setting: str) -> str:
    """Return an error message: nothing answers at an address, which `setting` can change."""
    return (
        f"nothing answers at {address} ({error.__cause__}); is the server running? "
        f"Start it, or set {setting}=<its address>"
    )


def describe_missing_key(address: str, variable: str, setting: str) -> str:
    """Return an error message: the environment variable that `setting` names contains no key."""
    return (
        f"no API key for {address}: set the environment variable {variable}, which {setting} names"
    )


def check_same_server(stored: str, asked: str, what: str) -> None:
    """Check that stored data came from the same server that a run uses.

    Args:
        stored: The address from which the data came; "" if unknown.
        asked: The address that the run uses; "" if it starts its own server or is a replay.
        what: A plural name of the stored data, for the error message.

    Raises:
        OtherServerError: The two addresses differ.
    """
    if stored and asked and stored != asked:
        raise OtherServerError(
            f"{what} came from {stored}, but this run asks {asked}; to keep the replies "
            "of the two apart, set paths.results to another folder; if both addresses are the same "
            f"server, set llm.build.endpoint.known_as={stored} (for a judge, "
            "judge_llm.build.endpoint.known_as)"
        )


PLAIN = ("", "identity")
GZIP = "gzip"
ANY_GZIP = 16 + zlib.MAX_WBITS
"""The zlib mode that expects a gzip header."""
MOST_SHOWN = 200
UNPACKED_HERE = (b"content-encoding", b"content-length")
"""Headers that no longer apply once a reply has been read."""
CLIENTS = 16


def guarded_client(most_bytes: int, **settings: Any) -> Any:
    """Return openai's HTTP client, limited to `most_bytes` decompressed bytes per reply.

    A reply over the limit raises OpenAIError, which is not retried.
    """
    from openai import DefaultHttpxClient, OpenAIError

    class GuardedClient(DefaultHttpxClient):
        """Reads each reply completely before returning it."""

        def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
            """Send a request and return the response after checking it."""
            response = super().send(request, stream=True, **options)
            try:
                content = _content(response, most_bytes)
            except _RefusedError as error:
                raise OpenAIError(str(error)) from None
            finally:
                response.close()
            headers = response.headers.raw
            return type(response)(
                response.status_code,
                headers=[header for header in headers if header[0].lower() not in UNPACKED_HERE],
                content=content,
                request=request,
                extensions=response.extensions,
            )

    headers = {"Accept-Encoding": GZIP}
    return GuardedClient(follow_redirects=False, headers=headers, **settings)


class ThreadClients:
    """Shares a few clients among all threads: a thread always gets the same one.

    At every call, an HTTP client scans all connections of its pool while other threads wait. With
    one client and hundreds of calls in flight, this would take longer than the rest of a call.
    """

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._clients: list[Any] = []
        self._threads = 0
        self._of_thread = threading.local()

    def mine(self) -> Any:
        """Return the client of the current thread."""
        client = getattr(self._of_thread, "client", None)
        if client is None:
            client = self._of_thread.client = self._next()
        return client

    def _next(self) -> Any:
        with self._lock:
            turn = self._threads % CLIENTS
            if turn == len(self._clients):
                self._clients.append(self._connect())
            self._threads += 1
            return self._clients[turn]


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the wait in seconds from retry-after-ms or Retry-After (RFC 9110); None if missing."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    wait = headers.get("retry-after", "")
    seconds = _number(wait)
    return _seconds_until(wait, now) if seconds is None else seconds


class _RefusedError(Exception):
    """A reply must not be read at all, or must not be read any further."""


def _content(response: Any, most_bytes: int) -> bytes:
    if response.has_redirect_location:
        raise _RefusedError(
            f"the server redirects to {_target(response)} (status {response.status_code}), but "
            f"redirects are not followed, since that would send the prompt there; if you trust "
            f"that address, set it as base_url"
        )
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in (*PLAIN, GZIP):
        raise _RefusedError(
            f"the reply has the content encoding {packing[:MOST_SHOWN]!r}, expected gzip"
        )
    unpacker = zlib.decompressobj(ANY_GZIP) if packing == GZIP else None
    content = bytearray()
    for chunk in response.iter_raw():
        try:
            left = most_bytes + 1 - len(content)
            content += unpacker.decompress(chunk, left) if unpacker else chunk
        except zlib.error:
            break  # incomplete JSON is an error, which is retried
        if len(content) > most_bytes:
            raise _RefusedError(f"the reply is too large: more than {most_bytes} bytes")
    return bytes(content)


def _target(response: Any) -> str:
    """Return the target of a redirect, without user, password and query."""
    parts = urlsplit(urljoin(str(response.request.url), response.headers["location"]))
    shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    return ascii(shown)[1:-1][:MOST_SHOWN]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _seconds_until(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
