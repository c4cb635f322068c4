r"""Takes keys out of what an endpoint says, which may repeat the one that it was sent.

A letter of it may be written as `\/`, `\u002d` or `%2D`, and be escaped again for each JSON text
that is held by another: what is read later would unfold it.
"""

import re
from functools import cache

SHORTEST_KEY = 8
"""What is shorter stands for none ("EMPTY", "x"), and may be a part of any reply."""
MASK = "***"
MOST_BACKSLASHES = 64
"""In front of one letter: six JSON texts in each other."""
_ESCAPED_ASCII = re.compile(rb"u00[2-7]|%[2-7][0-9A-Fa-f]")


def masked_bytes(content: bytes, key: str) -> bytes:
    r"""Replace a key in every spelling by ***.

    >>> masked_bytes(rb'{"a": "{\\"b\\": \\"sk-\\\\u0031234567\\"}"}', "sk-1234567")
    b'{"a": "{\\\\"b\\\\": \\\\"***\\\\"}"}'
    """
    if len(key) < SHORTEST_KEY or not _may_hold(content, key):
        return content
    return _spellings(key).sub(MASK.encode(), content)


def masked(text: str, key: str) -> str:
    """Replace a key in every spelling by ***."""
    return masked_bytes(text.encode("utf-8", "surrogatepass"), key).decode("utf-8", "surrogatepass")


def _may_hold(content: bytes, key: str) -> bool:
    """Spare most replies the search for spellings, which costs a hundred times as much."""
    if not key.isascii() or _ESCAPED_ASCII.search(content):
        return True
    return key.replace("\\", "").encode() in content.replace(b"\\", b"")


@cache
def _spellings(key: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_spelled, key)))


def _spelled(letter: str) -> bytes:
    """Match one letter as itself, behind backslashes, by its number, or by its bytes in hex."""
    slashes = rb"\\{%d,%d}"
    some, any_number = slashes % (1, MOST_BACKSLASHES), slashes % (0, MOST_BACKSLASHES)
    units = letter.encode("utf-16-be")
    pairs = (units[at : at + 2].hex().encode() for at in range(0, len(units), 2))
    number = b"".join(some + b"u(?i:" + pair + b")" for pair in pairs)
    coded = b"".join(b"%(?i:" + b"%02x" % byte + b")" for byte in letter.encode())
    itself = some if letter == "\\" else any_number + re.escape(letter.encode())
    return b"(?:" + number + b"|" + coded + b"|" + itself + b")"
