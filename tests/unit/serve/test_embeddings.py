"""The route `/v1/embeddings`: OpenAI's format, and separate vectors for queries and documents."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from remem.protocols import QueryTarget, Vectors
from remem.serve.embeddings import embeddings_reply


class Told:
    """Records its requests; a document's vector is [1, 0], a query's is [0.6, 0.8]."""

    dimension = 2

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(("document", list(texts)))
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        self.asked.append((target, list(texts)))
        return np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (len(texts), 1))


def body(**changes: Any) -> dict[str, Any]:
    return {"model": "m", "input": ["a", "b"]} | changes


def test_documents_come_back_in_the_shape_of_openai() -> None:
    told = Told()
    reply = embeddings_reply(told, "m", body(user="someone"))
    assert reply["data"] == [
        {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]},
        {"object": "embedding", "index": 1, "embedding": [1.0, 0.0]},
    ]
    assert (reply["object"], reply["model"]) == ("list", "m")
    assert reply["usage"] == {"prompt_tokens": 0, "total_tokens": 0}
    assert told.asked == [("document", ["a", "b"])]


def test_a_query_is_embedded_as_one_with_its_target() -> None:
    told = Told()
    embeddings_reply(told, "m", body(role="query", target="fact"))
    embeddings_reply(told, "m", body(role="query", input="alone"))
    assert told.asked == [("fact", ["a", "b"]), ("passage", ["alone"])]


def test_base64_holds_little_endian_float32() -> None:
    reply = embeddings_reply(Told(), "m", body(role="query", encoding_format="base64"))
    packed = base64.b64decode(reply["data"][0]["embedding"])
    np.testing.assert_allclose(np.frombuffer(packed, dtype="<f4"), [0.6, 0.8], atol=1e-7)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"model": "other"}, "unknown model 'other'; this server has 'm'"),
        ({"dimensions": 3}, "2 dimensions here, not 3"),
        ({"input": [1, 2]}, "input"),
        ({"role": "judge"}, "role"),
        ({"target": "gist"}, "target"),
        ({"encoding_format": "int8"}, "encoding_format"),
        ([], "validation error"),
    ],
)
def test_what_there_is_not_is_refused(wrong: Any, complaint: str) -> None:
    told = Told()
    with pytest.raises(ValueError, match=complaint):
        embeddings_reply(told, "m", body(**wrong) if isinstance(wrong, dict) else wrong)
    assert told.asked == []
