"""The HTTP client for endpoints: it follows no redirects and limits the size of replies.

A redirect would send the prompt, and perhaps the key, to an address that the user did not choose. A
compressed
reply of a few kilobytes can expand to gigabytes, so it is decompressed here, chunk by chunk.
"""

import zlib
from typing import Any
from urllib.parse import urljoin, urlsplit

PLAIN = ("", "identity")
GZIP = "gzip"
ANY_GZIP = 16 + zlib.MAX_WBITS
"""The zlib mode that expects a gzip header."""
MOST_SHOWN = 200
UNPACKED_HERE = ("content-encoding", "content-length")
"""Headers that no longer apply once a reply has been read."""


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
