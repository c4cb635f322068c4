"""`/v1/embeddings` over real HTTP, asked by the client of conf/embedder/served.yaml."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from remem.config.instantiation import instantiate_checked
from remem.config.run_config import configure
from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import ServedEncoder
from remem.errors import ModelUnavailableError, StopRunError
from remem.protocols import Embedder, QueryTarget, Vectors
from remem.serve.embeddings import embedding_routes
from remem.serve.server import LoopbackServer

DIMENSION = 64
TEXTS = ["Ann moved to Rome.", "", "two words"]


class Instructed:
    """Embeds a query with its target before it, as models with instructions do."""

    dimension = DIMENSION

    def __init__(self) -> None:
        self._hashing = HashingEmbedder(dimension=DIMENSION)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._hashing.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        return self._hashing.embed_documents([f"{target} {text}" for text in texts])


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(embedding_routes(Instructed(), ServedEncoder("hashing"))) as server:
        yield server


def served(server: LoopbackServer, results: Path) -> Embedder:
    build = "embedder.build.embedder"
    config = configure(
        *("embedder=served", f"{build}.base_url={server.url}/v1", f"{build}.model=hashing"),
        *(f"{build}.dimension={DIMENSION}", f"{build}.retries=0", f"paths.results={results}"),
    )
    (results / "cache").mkdir(exist_ok=True)
    embedder: Embedder = instantiate_checked(config.resolved["embedder"]["build"])
    return embedder


def test_the_served_embedder_gives_the_vectors_of_the_one_that_is_served(
    server: LoopbackServer, tmp_path: Path
) -> None:
    near, far = Instructed(), served(server, tmp_path)
    pairs = [
        (far.embed_documents(TEXTS), near.embed_documents([text or " " for text in TEXTS])),
        (far.embed_queries(TEXTS[:1], "fact"), near.embed_queries(TEXTS[:1], "fact")),
        (far.embed_queries(TEXTS[:1], "passage"), near.embed_queries(TEXTS[:1], "passage")),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    document, fact, passage = (ours[0] for ours, _ in pairs)
    assert not np.allclose(document, fact) and not np.allclose(fact, passage)


def test_requests_of_several_clients_are_embedded_at_the_same_time(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=20)

    class Waiting(Instructed):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            both.wait()  # passes only if another request is embedded too
            return super().embed_documents(texts)

    with LoopbackServer(embedding_routes(Waiting(), ServedEncoder("hashing"))) as server:
        clients = [served(server, tmp_path) for _ in range(2)]
        asked = [["Ann moved to Rome."], ["two words"]]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda at: clients[at].embed_documents(asked[at]), range(2)))
    for vectors, texts in zip(found, asked, strict=True):
        expected = Instructed().embed_documents(texts)
        np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_client_is_told_why_the_embedder_cannot_work(tmp_path: Path) -> None:
    class Full(Instructed):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            raise StopRunError("a/model needs 17.1 GB of memory on cuda:0")

    told = pytest.raises(ModelUnavailableError, match=r"needs 17\.1 GB of memory on cuda:0")
    with LoopbackServer(embedding_routes(Full(), ServedEncoder("hashing"))) as server, told:
        served(server, tmp_path).embed_documents(["a"])
