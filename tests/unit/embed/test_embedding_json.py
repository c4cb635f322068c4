"""Replies of `/v1/embeddings`, of which no value is trusted; vectors are packed by hand."""

import base64
import json
import struct
from typing import Any

import pytest

from remem.embed.embedding_json import read_vectors

USAGE = {"prompt_tokens": 7, "total_tokens": 7}


def reply(*items: Any, usage: Any = USAGE) -> bytes:
    data = [{"index": at, "embedding": item} for at, item in enumerate(items)]
    return json.dumps({"data": data, "usage": usage}).encode()


def test_numbers_and_the_base64_of_little_endian_float32_are_read() -> None:
    packed = base64.b64encode(struct.pack("<2f", 0.5, -2.0)).decode()
    vectors, tokens = read_vectors(reply([0.5, -2], packed), 2)
    assert [vector.tolist() for vector in vectors] == [[0.5, -2.0], [0.5, -2.0]]
    assert tokens == 7


@pytest.mark.parametrize(
    "usage", [None, [], {}, *({"prompt_tokens": odd} for odd in (None, -1, True, 2**70, "7", 0.5))]
)
def test_what_is_no_count_of_tokens_counts_none(usage: Any) -> None:
    assert read_vectors(reply([1.0], usage=usage), 1)[1] == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "sent no embeddings"),
        (b"[" * 5000, "sent no embeddings"),
        (b'{"data": null}', r"sent no embeddings \(data: "),
        (b'{"data": [{"index": 0}]}', r"sent no embeddings \(data.0.embedding"),
        (reply(["x"]), "sent no embeddings"),
        (reply([1.0], [1.0]), "returned 2 vectors for 1 texts"),
        (reply("no base64!"), "neither numbers nor base64"),
        (reply("\u00e9"), "neither numbers nor base64"),
        (reply("AAAA"), "ends in the middle of a number"),  # three bytes
    ],
)
def test_what_is_no_reply_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_vectors(content, 1)


def test_a_number_too_large_for_float32_is_left_to_be_found_as_infinite() -> None:
    [vector], _ = read_vectors(reply([1e300]), 1)
    assert vector.tolist() == [float("inf")]
