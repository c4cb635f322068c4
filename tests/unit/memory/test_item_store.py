"""The texts, vectors, terms and time scopes of a node type always match each other."""

import numpy as np
import pytest

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, PlacedItem, Weights
from remem.index.numpy_dense import NumpyDense
from remem.memory.item_store import ItemStore
from remem.protocols import Embedder, Hit, Mask, QueryTarget
from remem.time_scope import TimePoint, TimeScope

TEXTS = ["Ann bought a red boat", "Bob sold the boat", "Cleo sings in a choir"]
SCOPES = [TimeScope(TimePoint(2021)), None, TimeScope(TimePoint(2023))]


class CountingEmbedder:
    """A hashing embedder that records the texts it embeds."""

    def __init__(self) -> None:
        self.dimension = 64
        self.documents: list[str] = []
        self.queries: list[tuple[str, str]] = []
        self._hashing = HashingEmbedder(dimension=64)

    def embed_documents(self, texts):
        self.documents.extend(texts)
        return self._hashing.embed_documents(texts)

    def embed_queries(self, texts, target):
        self.queries.extend((text, target) for text in texts)
        return self._hashing.embed_documents(texts)


def bm25() -> Bm25sLexical:
    return Bm25sLexical(k1=1.5, b=0.75, method="lucene")


def store(
    embedder: Embedder | None = None,
    target: QueryTarget = "fact",
    context: ContextualRanking | None = None,
) -> ItemStore:
    return ItemStore(
        embedder=embedder or CountingEmbedder(),
        dense=NumpyDense,
        lexical=bm25,
        target=target,
        context=context,
    )


def everything(size: int) -> Mask:
    return np.ones(size, dtype=np.bool_)


def positions(hits: list[Hit]) -> list[int]:
    return [at for at, _ in hits]


@pytest.mark.parametrize("target", ["passage", "fact"])
def test_a_semantic_search_embeds_its_query_for_what_it_is_compared_with(target):
    embedder = CountingEmbedder()
    items = store(embedder, target)
    items.add(TEXTS, SCOPES)
    assert positions(items.semantic("Cleo sings in a choir", 1, everything(3))) == [2]
    assert embedder.queries == [("Cleo sings in a choir", target)]


def test_every_search_keeps_to_the_allowed_items_and_to_top_k():
    items = store()
    items.add(TEXTS, SCOPES)
    allowed = np.array([False, True, True])
    assert 0 not in positions(items.semantic("Ann bought a red boat", 3, allowed))
    assert positions(items.lexical("boat", 3, allowed)) == [1]
    assert positions(items.nearest(items.vectors[0], 1, allowed)) == [1]
    assert len(items.semantic("boat", 2, everything(3))) == 2


def test_in_context_an_item_between_two_hits_is_better_than_the_best_hit() -> None:
    weights = Weights(neighbours=1.0, reach=1, reply=0.0, session=0.0, speaker=0.0, semantic=0.0)
    context = ContextualRanking(weights=weights, lexical=bm25)
    texts = ["I sold the boat", "To my cousin", "He likes the boat", "The boat, my old boat"]
    context.add([PlacedItem("s2" if at == 3 else "s1", text) for at, text in enumerate(texts)])
    items = store(context=context)
    items.add(texts, [None] * 4)
    # One "boat" scores more than half of two, and item 1 gets that from both of its neighbours.
    assert positions(items.lexical("boat", 1, everything(4))) == [1]


def test_an_empty_store_finds_nothing():
    items = store()
    nothing = everything(0)
    assert items.semantic("boat", 3, nothing) == []
    assert items.lexical("boat", 3, nothing) == []
    assert items.nearest(np.ones(64, dtype=np.float32) / 8, 3, nothing) == []
    assert items.similar_pairs(0.8).shape == (0, 2)
    assert items.vectors.shape == (0, 64)
    items.add([], [])
    assert items.size == 0


def test_vectors_of_an_artefact_spare_the_embedding():
    made, embedder = store(), CountingEmbedder()
    made.add(TEXTS, SCOPES)
    loaded = store(embedder)
    loaded.add(TEXTS, SCOPES, made.vectors)
    assert embedder.documents == []
    assert loaded.semantic("boat", 3, everything(3)) == made.semantic("boat", 3, everything(3))
