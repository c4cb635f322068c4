"""Check the vectors in the reply of an embedding server, and assign each to its text."""

import base64
import binascii
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from remem.embed.model_io import place_of, unit_rows
from remem.files.adapters import parsed
from remem.files.json_text import MOST_VALUES_OF_ARRAY
from remem.llm.refusals import read_refusal
from remem.protocols import Vectors

SETTINGS = "embedder.build.embedder"
"""Where a configuration holds the settings of the server."""
BYTES_PER_FLOAT = 4
MOST_TOKENS = 2**40
MOST_SHOWN = 100
"""Maximum characters of the indices in an error."""


class _Item(BaseModel):
    """A vector, as numbers or as the base64 of little-endian float32."""

    embedding: list[float] | str
    index: int | None = None


class EmbeddingsReply(BaseModel):
    """The reply of an embedding server: its vectors, still unchecked, and its token count."""

    data: list[_Item]
    usage: Any = None
    model: Any = None

    @property
    def tokens(self) -> int | None:
        """Return the server's count of tokens; None if it is missing, invalid or 0."""
        tokens = self.usage.get("prompt_tokens") if isinstance(self.usage, dict) else None
        if not isinstance(tokens, int) or isinstance(tokens, bool):
            return None
        return tokens if 0 < tokens <= MOST_TOKENS else None

    @property
    def order(self) -> list[int]:
        """Return, for each text, the position of its vector in the reply.

        Raises:
            ValueError: The indices do not say which vector belongs to which text.
        """
        count = len(self.data)
        stated = [item.index for item in self.data]
        # Some encoders leave out a value of 0.
        indices = [index or 0 for index in stated] if stated.count(None) == 1 else stated
        if count == 1 or set(indices) == {None}:
            return list(range(count))
        positions = {index: position for position, index in enumerate(indices)}
        for first in (0, 1):  # some servers count from 1
            if positions.keys() == {*range(first, first + count)}:
                return [positions[index] for index in range(first, first + count)]
        named = ", ".join("none" if index is None else str(index) for index in stated)
        shown = named if len(named) <= MOST_SHOWN else f"{named[:MOST_SHOWN]} ..."
        raise ValueError(
            f"sent {count} vectors with the indices {shown}, expected each index from 0 to "
            f"{count - 1} once, to show which vector belongs to which text; set "
            f"{SETTINGS}.batch_size=1"
        )

    @property
    def is_out_of_order(self) -> bool:
        """Return whether the vectors of the reply are in another order than the texts."""
        return self.order != list(range(len(self.data)))


def read_reply(content: bytes) -> EmbeddingsReply:
    """Parse the content of a reply from a server.

    Raises:
        ValueError: The content is not a reply with vectors.
    """
    try:
        return parsed(EmbeddingsReply, content, most=MOST_VALUES_OF_ARRAY)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the reply"
        reason = read_refusal(HTTPStatus.OK, content).reason
        raise ValueError(f"sent no embeddings ({where}: {first['msg']}): {reason}") from error


def vectors_of(
    reply: EmbeddingsReply, texts: Sequence[str], *, dimension: int, model: str
) -> Vectors:
    """Return the unit vector of each text, in the order of the texts.

    Raises:
        ValueError: The vectors do not match the texts or the dimension.
    """
    if len(reply.data) != len(texts):
        raise ValueError(f"returned {len(reply.data)} vectors for {len(texts)} texts")
    rows = []
    for at, position in enumerate(reply.order):
        place = place_of(texts, at)
        row = _numbers(reply.data[position].embedding, place)
        if len(row) != dimension:
            raise ValueError(
                f"returned {len(row)} numbers for {place}, expected {dimension}; set "
                f"{SETTINGS}.dimension to the dimension of the model"
            )
        rows.append(row)
    return unit_rows(np.stack(rows), texts, dimension=dimension, model=model)


def _numbers(embedding: list[float] | str, place: str) -> NDArray[np.float32]:
    if not isinstance(embedding, str):
        with np.errstate(
            over="ignore"
        ):  # values too large for float32 become infinite and are found
            return np.array(embedding, dtype=np.float32)
    try:
        packed = base64.b64decode(embedding, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"sent neither numbers nor base64 for {place}") from error
    if len(packed) % BYTES_PER_FLOAT:
        raise ValueError(f"sent a vector with a cut-off last number for {place}")
    return np.frombuffer(packed, np.dtype("<f4"))
