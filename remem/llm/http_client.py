"""The HTTP clients for endpoints: they follow no redirects and limit the size of replies.

A redirect would send the prompt, and perhaps the key, to an address that the user did not choose. A
compressed reply of a few kilobytes can expand to gigabytes, so it is decompressed here, chunk by
chunk.
"""

import math
import threading
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

PLAIN = ("", "identity")
GZIP = "gzip"
ANY_GZIP = 16 + zlib.MAX_WBITS
"""The zlib mode that expects a gzip header."""
MOST_SHOWN = 200
UNPACKED_HERE = ("content-encoding", "content-length")
"""Headers that no longer apply once a reply has been read."""
CLIENTS = 16


def guarded_client(most_bytes: int, **settings: Any) -> Any:
    """Return openai's HTTP client, limited to `most_bytes` decompressed bytes per reply.

    A refused reply raises OpenAIError, which is not retried.
    """
    from openai import DefaultHttpxClient, OpenAIError

    class GuardedClient(DefaultHttpxClient):
        """Reads each reply completely before returning it."""

        def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
            """Send a request and return the checked response."""
            response = super().send(request, stream=True, **options)
            try:
                content = _content(response, most_bytes)
            except _RefusedError as error:
                raise OpenAIError(str(error)) from None
            finally:
                response.close()
            headers = response.headers.multi_items()
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
    """Assigns each thread a permanent client; a single thread creates only one client.

    At every call the pool of an HTTP client scans all its connections while other threads wait.
    With hundreds of calls in flight, this takes longer than the rest of a call.
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
    """Return the seconds to wait by retry-after-ms or Retry-After (RFC 9110), or None."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    wait = headers.get("retry-after", "")
    seconds = _number(wait)
    return _seconds_until(wait, now) if seconds is None else seconds


class _RefusedError(Exception):
    """A reply must not be read, or not any further."""


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
            break  # what came before is no whole JSON, which is an error that is retried
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
