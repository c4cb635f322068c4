"""Many questions at once are ranked as each by itself is."""

import numpy as np
import pytest
from measure import passage_workload as workload

from baselines.hipporag2 import BATCH, HippoRAG2
from baselines.hipporag2_openie import Extracted
from baselines.hipporag2_search import _best_first
from remem.types import Episode, History, Message, Usage

PASSAGES = 50


class Made:
    """The workload of the benchmark; the filter keeps nothing for questions in vain."""

    dimension = workload.DIMENSION

    def __init__(self, *, silent=False):
        self._silent = silent

    def extract(self, passage):
        return Extracted(() if self._silent else tuple(workload.triples_of(passage)), Usage())

    def keep(self, question, candidates):
        return () if "in vain" in question else (0, 2), Usage(1, 0, 0)

    def embed_documents(self, texts):
        return workload.vectors_of(texts, "document")

    def embed_queries(self, texts, target):
        return workload.vectors_of(texts, target)


def memory(*, silent=False):
    made = Made(silent=silent)
    found = HippoRAG2(
        openie=made,
        fact_filter=made,
        embedder=made,
        unit="session",
        top_k=3,
        parallel_passages=1,
        linking_top_k=5,
        synonymy_threshold=0.8,
        passage_node_weight=0.05,
        damping=0.5,
    )
    texts = [workload.passage(number, PASSAGES) for number in range(PASSAGES)]
    episodes = [Episode(f"e{at}", (Message(f"m{at}", "", text),)) for at, text in enumerate(texts)]
    found.index(History("made up", tuple(episodes)))
    return found


@pytest.mark.parametrize("silent", [False, True])
def test_a_batch_gives_each_question_its_own_ranking(silent):
    asked = [f"question {number}{' in vain' * (number % 5 == 0)}" for number in range(BATCH + 5)]
    ranked = memory(silent=silent)
    for one, other in zip(ranked.rank_many(asked), map(ranked.rank, asked), strict=True):
        assert one.candidates == other.candidates
        assert one.kept == other.kept
        assert one.usage == other.usage
        by_passage = [ranking.scores[np.argsort(ranking.passages)] for ranking in (one, other)]
        assert by_passage[0] == pytest.approx(by_passage[1], rel=1e-4, abs=1e-6)
        assert one.passages[:3].tolist() == other.passages[:3].tolist()


def test_only_questions_in_vain_need_no_walk():
    ranked = memory()
    (one,) = ranked.rank_many(["in vain"])
    assert not one.kept
    assert one.passages.tolist() == ranked.rank("in vain").passages.tolist()


def test_no_questions_have_no_rankings():
    assert memory().rank_many([]) == []


@pytest.mark.parametrize("different", [1, 3, 40, 10**9])
def test_equal_scores_stand_in_the_order_of_the_passages(different):
    scores = np.random.default_rng(different).integers(0, different, 500).astype(np.float64)
    assert _best_first(scores).tolist() == np.argsort(-scores, kind="stable").tolist()
