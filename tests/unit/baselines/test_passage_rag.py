"""Retrieval over messages and sessions; tests of the texts use a scripted index."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from baselines.passage_rag import DenseRetriever, PassageRAG
from remem.config.run_config import compose_config, run_config
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, Weights
from remem.index.numpy_dense import NumpyDense
from remem.protocols import Hit, QueryTarget, Vectors
from remem.types import Episode, History, Message, Query

DAY = "1:56 pm on 8 May, 2023"
CHAT = History(
    "conv",
    (
        Episode("s1", (Message("a", "Ann", "I sold the boat", date=DAY),)),
        Episode("empty", ()),
        Episode(
            "s2",
            (
                Message("b", "Bob", "Which boat, the boat with sails?", date=DAY),
                Message("c", "Ann", "We bake bread", date=DAY),
            ),
        ),
    ),
)
QUERY = Query("q", "conv", 0, "Who sold the boat?")


class ScriptedRetriever:
    """Remembers its texts and returns the hits it was given."""

    def __init__(self, hits: list[Hit]) -> None:
        self.hits = hits
        self.texts: list[str] = []
        self.asked: list[tuple[str, int]] = []

    def add(self, texts: Sequence[str]) -> None:
        self.texts.extend(texts)

    def search(self, query: str, top_k: int) -> list[Hit]:
        self.asked.append((query, top_k))
        return self.hits


def rag(retriever: Any, **changes: Any) -> PassageRAG:
    settings = {"unit": "message", "top_k": 2, "embed_date": False, "ranking": None}
    memory = PassageRAG(retriever=lambda: retriever, **(settings | changes))
    memory.index(CHAT)
    return memory


def in_context(**weights: float) -> Callable[[], ContextualRanking]:
    alone = dict.fromkeys(("neighbours", "reach", "reply", "session", "speaker", "semantic"), 0)
    return partial(
        ContextualRanking,
        weights=Weights(**(alone | weights)),
        lexical=partial(Bm25sLexical, k1=1.5, b=0.75, method="lucene"),
    )


def test_a_contextual_ranking_knows_the_sessions_of_the_messages() -> None:
    retriever = ScriptedRetriever([(1, 0.8)])
    evidence = rag(retriever, ranking=in_context(neighbours=0.5, reach=1)).recall(QUERY)
    assert [passage.id for passage in evidence.passages] == ["b", "c"]  # not "a"
    assert retriever.asked == [("Who sold the boat?", 3)]  # the scores of all


def test_passages_come_in_the_order_of_the_hits() -> None:
    retriever = ScriptedRetriever([(2, 0.9), (0, 0.4)])
    evidence = rag(retriever).recall(QUERY)
    assert [passage.id for passage in evidence.passages] == ["c", "a"]
    assert retriever.asked == [("Who sold the boat?", 2)]


def test_the_date_is_shown_and_searched_only_when_asked() -> None:
    undated, dated = ScriptedRetriever([(0, 1.0)]), ScriptedRetriever([(0, 1.0)])
    shown = rag(undated).recall(QUERY).passages
    assert undated.texts[0] == "Ann: I sold the boat"
    assert shown[0].text == f"[{DAY}] Ann: I sold the boat"
    assert rag(dated, embed_date=True).recall(QUERY).passages == shown
    assert dated.texts[0] == f"[{DAY}] Ann: I sold the boat"


def test_a_session_is_searched_as_its_lines_and_one_without_messages_is_left_out() -> None:
    retriever = ScriptedRetriever([(1, 1.0)])
    passage = rag(retriever, unit="session").recall(QUERY).passages[0]
    assert retriever.texts == [
        "Ann: I sold the boat",
        "Bob: Which boat, the boat with sails?\nAnn: We bake bread",
    ]
    assert (passage.id, passage.source) == ("s2", ("b", "c"))


class CompassEmbedder:
    """Embeds texts on bread as [0, 1], others as [1, 0], and queries nearer to bread."""

    dimension = 2

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([[0, 1] if "bread" in text else [1, 0] for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        assert target == "passage"
        return np.array([[0.6, 0.8]] * len(texts), dtype=np.float32)


def test_dense_retrieval_ranks_by_similarity_and_embeds_the_question_as_for_passages() -> None:
    dense = DenseRetriever(embedder=CompassEmbedder(), dense=NumpyDense)
    assert [passage.id for passage in rag(dense).recall(QUERY).passages] == ["c", "a"]


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"unit": "turn"}, "unknown unit 'turn'"),
        ({"top_k": 0}, r"method\.build\.top_k must be at least 1, found 0"),
        ({"ranking": in_context(semantic=0.5)}, "use ranking=contextual"),
        (
            {"unit": "session", "ranking": in_context(session=0.5)},
            "this method ranks whole sessions",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        rag(ScriptedRetriever([]), **setting)


def test_memories_of_one_factory_share_no_index() -> None:
    factory = run_config(compose_config(["method=bm25_messages"])).memory_factory()
    first, second = factory(), factory()
    first.index(History("h", (Episode("e", (Message("m", "Ann", "the boat"),)),)))
    query = Query("q", "h", 0, "boat")
    assert [passage.id for passage in first.recall(query).passages] == ["m"]
    assert second.recall(query).passages == ()
