"""Which texts are embedded again and which come from the cache."""

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from remem.embed.cached import CachedEmbedder, content_key
from remem.embed.hashing import HashingEmbedder
from remem.protocols import QueryTarget, Vectors


class Noted:
    """A hashing embedder that records its texts; a query's text begins with its target."""

    dimension = 64

    def __init__(self, name: str = "noted") -> None:
        self.identity: Mapping[str, object] = {"model": name}
        self.seen: list[str] = []
        self._embedder = HashingEmbedder(dimension=self.dimension)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.seen.extend(texts)
        return self._embedder.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        return self.embed_documents([f"{target} {text}" for text in texts])


class Kept:
    """A cache in memory."""

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def put_many(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self.vectors.update(vectors)


def cached_by(embedder: Noted, cache: Kept, portion: int = 100) -> CachedEmbedder:
    return CachedEmbedder(embedder=embedder, cache=cache, portion=portion)


def test_the_vectors_are_those_of_the_embedder_in_its_order() -> None:
    cached, bare = cached_by(Noted(), Kept()), Noted()
    cached.embed_documents(["b"])
    texts = ["a", "b", "a", "c"]
    np.testing.assert_array_equal(cached.embed_documents(texts), bare.embed_documents(texts))
    queries = cached.embed_queries(texts, "fact")
    np.testing.assert_array_equal(queries, bare.embed_queries(texts, "fact"))
    assert cached.dimension == 64


def test_each_distinct_text_is_embedded_once_and_never_again() -> None:
    cache, first, second = Kept(), Noted(), Noted()
    cached_by(first, cache).embed_documents(["a", "b", "a"])
    assert first.seen == ["a", "b"]
    cached_by(second, cache).embed_documents(["b", "c", "a"])
    assert second.seen == ["c"]


def test_roles_targets_and_models_are_kept_apart() -> None:
    cache, embedder, other = Kept(), Noted(), Noted("other")
    cached = cached_by(embedder, cache)
    cached.embed_documents(["a"])
    cached.embed_queries(["a"], "fact")
    cached.embed_queries(["a"], "passage")
    cached_by(other, cache).embed_documents(["a"])
    assert (embedder.seen, other.seen) == (["a", "fact a", "passage a"], ["a"])
    assert len(cache.vectors) == 4


def test_no_texts_ask_nothing() -> None:
    embedder = Noted()
    cached = cached_by(embedder, Kept())
    assert cached.embed_documents([]).shape == (0, 64)
    assert cached.embed_queries([], "fact").shape == (0, 64)
    assert embedder.seen == []


def test_the_key_is_the_sha256_of_the_identity_the_role_the_target_and_the_text() -> None:
    content = json.dumps(["id", "query", "fact", "é"], ensure_ascii=False).encode()
    assert content_key("id", "query", "fact", "é") == hashlib.sha256(content).hexdigest()
    assert len(content_key("id", "document", "", "\ud83d")) == 64  # half a character has one too


def test_what_was_embedded_is_kept_portion_by_portion() -> None:
    class Fails(Noted):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            if "e" in texts:
                raise TimeoutError("gone")
            return super().embed_documents(texts)

    cache, again = Kept(), Noted()
    with pytest.raises(TimeoutError):
        cached_by(Fails(), cache, portion=2).embed_documents(list("abcdef"))
    cached_by(again, cache).embed_documents(list("abcdef"))
    assert again.seen == ["e", "f"]


def test_a_portion_of_no_texts_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 text, found 0"):
        cached_by(Noted(), Kept(), portion=0)
