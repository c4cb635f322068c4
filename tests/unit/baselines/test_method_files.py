"""Every method file of a baseline builds its memory from the groups it points to."""

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.types import Episode, History, Message, Query


def composed(method: str, lexical: str = "bm25") -> RunConfig:
    return run_config(compose_config([f"method={method}", f"lexical={lexical}"]))


@pytest.mark.parametrize("lexical", ["bm25", "rank_bm25"])
def test_memories_of_one_factory_share_no_index(lexical: str) -> None:
    factory = composed("bm25_messages", lexical).memory_factory()
    first, second = factory(), factory()
    first.index(History("h", (Episode("e", (Message("m", "Ann", "the boat"),)),)))
    query = Query("q", "h", 0, "boat")
    assert [passage.id for passage in first.recall(query).passages] == ["m"]
    assert second.recall(query).passages == ()
