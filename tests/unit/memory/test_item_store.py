"""The texts, vectors, terms and time scopes of a node type always match each other."""

import numpy as np

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, PlacedItem, Weights
from remem.index.numpy_dense import NumpyDense
from remem.memory.item_store import ItemStore


def bm25() -> Bm25sLexical:
    return Bm25sLexical(k1=1.5, b=0.75, method="lucene")


def test_in_context_an_item_between_two_hits_is_better_than_the_best_hit() -> None:
    weights = Weights(neighbours=1.0, reach=1, reply=0.0, session=0.0, speaker=0.0, semantic=0.0)
    context = ContextualRanking(weights=weights, lexical=bm25)
    texts = ["I sold the boat", "To my cousin", "He likes the boat", "The boat, my old boat"]
    context.add([PlacedItem("s2" if at == 3 else "s1", text) for at, text in enumerate(texts)])
    items = ItemStore(
        embedder=HashingEmbedder(dimension=64),
        dense=NumpyDense,
        lexical=bm25,
        target="fact",
        context=context,
    )
    items.add(texts, [None] * 4)
    # One "boat" scores more than half of two, and item 1 gets that from both of its neighbours.
    assert [at for at, _ in items.lexical("boat", 1, np.ones(4, dtype=np.bool_))] == [1]
