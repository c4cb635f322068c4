"""How the reply of an embedding server is read, and which replies are refused."""

import base64
import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from remem.embed.received_vectors import read_reply, vectors_of

TEXTS = ["Ann", "Bob", "Cleo"]
UNIT = np.eye(3).tolist()
MISSING = "missing"


def content(*vectors: Any, indices: Sequence[Any] | None = None, usage: Any = None) -> bytes:
    indices = range(len(vectors)) if indices is None else indices
    items = [
        {"embedding": vector} | ({} if index == MISSING else {"index": index})
        for vector, index in zip(vectors, indices, strict=True)
    ]
    return json.dumps({"data": items, "usage": usage}).encode()


def read(sent: bytes, texts: Sequence[str] = TEXTS) -> list[list[float]]:
    vectors = vectors_of(read_reply(sent), texts, dimension=3, model="m")
    rows: list[list[float]] = vectors.tolist()
    return rows


def packed(*numbers: float) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


@pytest.mark.parametrize(
    ("indices", "order"),
    [
        ([2, 0, 1], [1, 2, 0]),
        ([MISSING, MISSING, MISSING], [0, 1, 2]),
    ],
)
def test_vectors_are_in_the_order_of_their_indices_or_as_they_came_without_any(
    indices: list[Any], order: list[int]
) -> None:
    assert read(content(*UNIT, indices=indices)) == [UNIT[at] for at in order]


@pytest.mark.parametrize(
    ("indices", "shown"),
    [
        ([0, 1, 0], "0, 1, 0"),
        ([-1, 0, 1], "-1, 0, 1"),
        ([0, MISSING, 2], "0, none, 2"),
    ],
)
def test_indices_that_leave_the_order_open_are_an_error_that_names_them(
    indices: list[Any], shown: str
) -> None:
    complaint = (
        f"sent 3 vectors with the indices {shown}, expected each index from 0 to 2 once, to show "
        f"which vector belongs to which text; set embedder.build.embedder.batch_size=1"
    )
    with pytest.raises(ValueError, match=complaint):
        read(content(*UNIT, indices=indices))


@pytest.mark.parametrize("index", [0, 1, 7, -1, MISSING])
def test_the_only_vector_may_have_any_index(index: Any) -> None:
    assert read(content(UNIT[1], indices=[index]), ["Ann"]) == [UNIT[1]]


def test_numbers_and_the_base64_of_little_endian_float32_are_read_as_unit_vectors() -> None:
    sent = content([0, 0, 0.5], packed(0, -2, 0), [3, 0, 0])
    assert read(sent) == [[0, 0, 1], [0, -1, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("vector", "complaint"),
    [
        ([0, 0, 0], "m returned only zeros for text 1 of 3, which starts with 'Bob'"),
        (packed(0, float("nan"), 1), "m returned a number that is not finite for text 1 of 3"),
        ([1, 0], "returned 2 numbers for text 1 of 3, which starts with 'Bob', expected 3; set "),
        ("no base64!", "sent neither numbers nor base64 for text 1 of 3"),
        ("AAAA", "sent a vector with a cut-off last number for text 1 of 3"),
    ],
)
def test_a_vector_that_is_none_is_refused_with_its_text(vector: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(content(UNIT[0], UNIT[2], vector, indices=[0, 2, 1]))


@pytest.mark.parametrize(
    ("sent", "complaint"),
    [
        (b"<html><body>Hello</body></html>", "answers with a web page; is /v1 missing at its end"),
        (b'{"error": "out of memory"}', r"sent no embeddings \(data: .*\): out of memory"),
        (b"[" * 5000, "sent no embeddings"),
        (b'{"data": [{"index": 0}]}', r"sent no embeddings \(data.0.embedding"),
        (content(*UNIT[:2]), "returned 2 vectors for 3 texts"),
    ],
)
def test_what_is_no_reply_is_refused(sent: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(sent)


def test_the_tokens_are_those_that_the_server_counted_or_unknown() -> None:
    assert read_reply(content(UNIT[0], usage={"prompt_tokens": 7})).tokens == 7
    for usage in (None, [], {}, *({"prompt_tokens": odd} for odd in (None, -1, 0, True, "7"))):
        assert read_reply(content(UNIT[0], usage=usage)).tokens is None
