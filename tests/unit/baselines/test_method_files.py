"""Every method file of a baseline builds its memory from the groups it points to."""

from remem.config.run_config import compose_config, run_config
from remem.types import Episode, History, Message, Query


def test_memories_of_one_factory_share_no_index() -> None:
    factory = run_config(compose_config(["method=bm25_messages"])).memory_factory()
    first, second = factory(), factory()
    first.index(History("h", (Episode("e", (Message("m", "Ann", "the boat"),)),)))
    query = Query("q", "h", 0, "boat")
    assert [passage.id for passage in first.recall(query).passages] == ["m"]
    assert second.recall(query).passages == ()
