"""What a row of the paper needs of its encoder before it can run."""

from collections.abc import Iterator

import pytest

from remem.config.run_config import configure
from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import ServedEncoder
from remem.serve.embeddings import embedding_routes
from remem.serve.server import LoopbackServer
from remem.tables.paper.forecast import Need, needs
from remem.tables.rows import RowOutcome
from remem.tables.table_plan import RowPlan

ROW = ("dataset=locomo", "method=embedding_messages", "embedder=served")


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server that says that it has Qwen3's encoder."""
    encoder = ServedEncoder("qwen3_embedding_8b", "Qwen/Qwen3-Embedding-8B", "abc")
    server = LoopbackServer(embedding_routes(HashingEmbedder(dimension=16), encoder), port=0)
    server.start()
    yield f"{server.url}/v1"
    server.stop()


def needed(*overrides: str) -> tuple[Need, ...]:
    return needs(RowOutcome(RowPlan(overrides), configure(*overrides)), has_data=True)


def test_a_served_encoder_is_needed_until_its_server_says_that_it_has_it(address: str) -> None:
    there = f"embedder.build.embedder.base_url={address}"
    name = "embedder.build.embedder.model="
    assert needed(*ROW, there, f"{name}qwen3_embedding_8b") == ()
    (need,) = needed(*ROW, there, f"{name}nv_embed_v2")
    assert need.what == "encoder"
    assert f"{address} serves qwen3_embedding_8b (Qwen/Qwen3-Embedding-8B" in need.remedy
    assert f"--port {address.rpartition(':')[2].removesuffix('/v1')}" in need.remedy


def test_a_method_without_an_encoder_needs_none() -> None:
    assert needed("dataset=locomo", "method=bm25_messages", "embedder=served") == ()
