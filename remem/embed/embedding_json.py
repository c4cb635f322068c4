"""The reply of `/v1/embeddings`, read into vectors: none of its values is trusted."""

import base64
import binascii
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

BYTES_PER_NUMBER = 4
MOST_TOKENS = 2**40

Vector = NDArray[np.float32]


class _Item(BaseModel):
    """A vector, as numbers or as the base64 of little-endian float32."""

    embedding: list[float] | str
    index: int = 0


class _Reply(BaseModel):
    data: list[_Item]
    usage: Any = None


def read_vectors(content: bytes, count: int) -> tuple[list[Vector], int]:
    """Return a vector for each text, in the order of the texts, and the number of tokens.

    Raises:
        ValueError: The content is not a valid embeddings reply.
    """
    try:
        reply = _Reply.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ValueError(f"sent no embeddings ({where}: {first['msg']})") from error
    if len(reply.data) != count:
        raise ValueError(f"returned {len(reply.data)} vectors for {count} texts")
    # A stable sort: some servers number all vectors 0 and mean the order in which they come.
    rows = [_numbers(item.embedding) for item in sorted(reply.data, key=lambda item: item.index)]
    return rows, _tokens(reply.usage)


def _numbers(embedding: list[float] | str) -> Vector:
    if not isinstance(embedding, str):
        with np.errstate(over="ignore"):  # what is too large for float32 is found out as infinite
            return np.array(embedding, dtype=np.float32)
    try:
        packed = base64.b64decode(embedding, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("sent a vector that is neither numbers nor base64") from error
    if len(packed) % BYTES_PER_NUMBER:
        raise ValueError("sent a vector that ends in the middle of a number")
    return np.frombuffer(packed, np.dtype("<f4"))


def _tokens(usage: Any) -> int:
    """Return the counted tokens, or 0 if the count is missing or invalid."""
    told = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if not isinstance(told, int) or isinstance(told, bool):
        return 0
    return told if 0 <= told <= MOST_TOKENS else 0
