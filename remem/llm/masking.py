r"""Mask API keys in replies, because an endpoint may repeat the key that was sent to it.

A character of a key may be escaped, as in `\/`, `\u002d` or `%2D`, and nested JSON escapes it once
more at each level. Escaped keys are masked too, because a later reader could decode them.
"""

import re
from functools import cache

SHORTEST_KEY = 8
"""Minimum length of a key; shorter values are placeholders ("EMPTY") and may occur in any reply."""
MASK = "***"
MOST_BACKSLASHES = 64
"""Maximum backslashes before a letter, as in JSON nested six times."""
_ESCAPED_ASCII = re.compile(rb"u00[2-7]|%[2-7][0-9A-Fa-f]")


def masked_bytes(content: bytes, key: str) -> bytes:
    r"""Replace a key by ***, even if some of its characters are escaped.

    >>> masked_bytes(rb'{"a": "{\\"b\\": \\"sk-\\\\u0031234567\\"}"}', "sk-1234567")
    b'{"a": "{\\\\"b\\\\": \\\\"***\\\\"}"}'
    """
    if len(key) < SHORTEST_KEY or not _may_hold(content, key):
        return content
    return _spellings(key).sub(MASK.encode(), content)


def masked(text: str, key: str) -> str:
    """Replace a key by ***, even if some of its characters are escaped."""
    return masked_bytes(text.encode("utf-8", "surrogatepass"), key).decode("utf-8", "surrogatepass")


def _may_hold(content: bytes, key: str) -> bool:
    """Return whether a key might occur; this quick test avoids the slow search for most replies."""
    if not key.isascii() or _ESCAPED_ASCII.search(content):
        return True
    return key.replace("\\", "").encode() in content.replace(b"\\", b"")


@cache
def _spellings(key: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_spelled, key)))


def _spelled(letter: str) -> bytes:
    """Return a pattern for a letter: plain, after backslashes, as a code point, or as hex bytes."""
    slashes = rb"\\{%d,%d}"
    some, any_number = slashes % (1, MOST_BACKSLASHES), slashes % (0, MOST_BACKSLASHES)
    units = letter.encode("utf-16-be")
    pairs = (units[at : at + 2].hex().encode() for at in range(0, len(units), 2))
    number = b"".join(some + b"u(?i:" + pair + b")" for pair in pairs)
    coded = b"".join(b"%(?i:" + b"%02x" % byte + b")" for byte in letter.encode())
    itself = some if letter == "\\" else any_number + re.escape(letter.encode())
    return b"(?:" + number + b"|" + coded + b"|" + itself + b")"
