"""Checksums of the rows of a call store: a row that was altered on disk is never served."""

from hashlib import blake2b
from typing import Any

REPLY = (
    *("CAST(text AS BLOB)", "CAST(tool_calls AS BLOB)", "CAST(finish_reason AS BLOB)"),
    *("calls", "prompt_tokens", "completion_tokens"),
)
"""The columns of a reply as bytes, because an altered text may be invalid."""
KEY = "CAST(key AS BLOB)"
OUTCOME = "CAST(outcome AS BLOB)"
REPLY_BYTES, VECTOR_BYTES = 16, 8


def reply_sum(key: object, outcome: object, *reply: object) -> bytes:
    """Return the checksum of a reply and its key.

    The checksum covers whether the outcome is an error, but not the outcome itself, which may
    change.
    """
    hasher = blake2b(digest_size=REPLY_BYTES)
    for part in (key, _encoded(outcome) == b"error", *reply):
        encoded = _encoded(part)
        hasher.update(b"%d:" % len(encoded))
        hasher.update(encoded)
    return hasher.digest()


def is_whole(found: object, key: object, outcome: object, *reply: object) -> bool:
    """Return whether a row matches its stored checksum."""
    return found == reply_sum(key, outcome, *reply)


def vector_sum(key: str, vector: Any) -> bytes:
    """Return the checksum of a vector and its key."""
    hasher = blake2b(key.encode(), digest_size=VECTOR_BYTES)
    hasher.update(vector)
    return hasher.digest()


def _encoded(part: object) -> bytes:
    return part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
