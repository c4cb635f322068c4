"""Many questions that are ranked at once get the same rankings as one by one."""

import zlib

import numpy as np
import pytest

from baselines.hipporag2 import BATCH, HippoRAG2
from baselines.hipporag2_openie import Extracted
from remem.types import Episode, History, Message, Usage

PASSAGES = 50


DIMENSION = 384


def triples_of(passage):
    """Return six triples that the number at the end of a passage determines."""
    rng = np.random.default_rng(int(passage.split()[-1]))
    return tuple(
        (entity(subject), f"relation {predicate}", entity(other))
        for subject, predicate, other in rng.integers(0, 2 * PASSAGES, (6, 3)).tolist()
    )


def entity(number):
    """Name an entity; one in ten is a twin of the entity before it."""
    return f"twin of item {number - 1}" if number % 10 == 9 else f"item {number}"


def vector(text, kind):
    """Return a unit vector; a twin's vector has a cosine of 0.894 with that of its original."""
    rng = np.random.default_rng(zlib.crc32(f"{kind} {text}".encode()))
    own = rng.standard_normal(DIMENSION)
    if text.startswith("twin of "):
        other = vector(text.removeprefix("twin of "), kind)
        own -= (own @ other) * other
        own = 0.894 * other + np.sqrt(1 - 0.894**2) * own / np.linalg.norm(own)
    return own / np.linalg.norm(own)


class Made:
    """Extracts and embeds generated passages; keeps no fact for questions with "in vain"."""

    dimension = DIMENSION

    def __init__(self, *, silent=False):
        self._silent = silent

    def extract(self, passage):
        return Extracted(() if self._silent else triples_of(passage), Usage())

    def keep(self, question, candidates):
        return () if "in vain" in question else (0, 2), Usage(1, 0, 0)

    def embed_documents(self, texts):
        return np.array([vector(text, "document") for text in texts], dtype=np.float32)

    def embed_queries(self, texts, target):
        return np.array([vector(text, target) for text in texts], dtype=np.float32)


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
    texts = [f"passage {number}" for number in range(PASSAGES)]
    episodes = [Episode(f"e{at}", (Message(f"m{at}", "", text),)) for at, text in enumerate(texts)]
    found.index(History("made up", tuple(episodes)))
    return found


@pytest.mark.parametrize("silent", [False, True])
def test_a_batch_gives_each_question_its_own_ranking(silent):
    asked = [f"question {number}{' in vain' * (number % 5 == 0)}" for number in range(BATCH + 5)]
    ranked = memory(silent=silent)
    assert ranked.rank_many([]) == []
    for one, other in zip(ranked.rank_many(asked), map(ranked.rank, asked), strict=True):
        assert one.candidates == other.candidates
        assert one.kept == other.kept
        assert one.usage == other.usage
        by_passage = [ranking.scores[np.argsort(ranking.passages)] for ranking in (one, other)]
        assert by_passage[0] == pytest.approx(by_passage[1], rel=1e-4, abs=1e-6)
        assert one.passages[:3].tolist() == other.passages[:3].tolist()
