"""A history that is indexed in parts gives the same graph and answers as one indexed at once.

Gists and facts share episodes; some gist vectors lie exactly at the synonymy threshold or near it.
"""

from contextlib import suppress
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import EmptyGraphError
from remem.types import Episode, Extraction, Fact, Gist, History, Message, Query, ToolCall

THRESHOLD = 0.8
BESIDE = (-1e-5, -1e-6, -6e-7, -4e-7, 0.0, 4e-7, 6e-7, 1e-6, 1e-5)
DIMENSION = 48


def planted():
    """Return the vector of each gist text: two centres, and texts at the threshold from each."""
    rng = np.random.default_rng(3)
    axes = np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0]
    vectors = {"near 0": axes[0], "near 1": axes[1]}
    for at, (centre, beside) in enumerate((c, b) for c in (0, 1) for b in BESIDE):
        cosine = THRESHOLD + beside
        vectors[f"near {centre} by {beside}"] = (
            cosine * axes[centre] + np.sqrt(1 - cosine**2) * axes[at + 2]
        )
    return {text: vector.astype(np.float32) for text, vector in vectors.items()}


GIST_VECTORS = planted()
PHRASES = ("Ann", "Bob", "boat")
FACT_TEXTS = tuple(f"{s} | knows | {o}" for s in PHRASES for o in PHRASES)


class Planted:
    """Embeds gists with the planted vectors, and other texts by counts of their letters."""

    dimension = DIMENSION

    def embed_documents(self, texts):
        return np.stack([self._vector(text) for text in texts])

    def embed_queries(self, texts, target):
        return self.embed_documents(texts)

    def _vector(self, text):
        if text in GIST_VECTORS:
            return GIST_VECTORS[text]
        counts = np.bincount([ord(letter) % DIMENSION for letter in text], minlength=DIMENSION)
        return (counts / np.linalg.norm(counts)).astype(np.float32)


class Literal:
    """Extracts a fact from a message with bars, nothing from a dash, and a gist from others."""

    def extract(self, episode):
        gists, facts = [], []
        for message in episode.messages:
            if "|" in message.text:
                facts.append(Fact("", *message.text.split(" | "), None, "", (message.id,)))
            elif message.text != "-":
                gists.append(Gist("", message.text, None, "", (message.id,)))
        return Extraction(tuple(gists), tuple(facts))


@pytest.fixture(scope="session")
def empty_memory(make_remem):
    return partial(
        make_remem,
        extractor=Literal(),
        embedder=Planted(),
        top_k=4,
        synonymy_threshold=THRESHOLD,
    )


@pytest.fixture(scope="session")
def indexed(empty_memory):
    def index(*parts):
        memory = empty_memory()
        for part in parts:
            with suppress(EmptyGraphError):  # a first part that says nothing leaves nothing behind
                memory.index(History("h", part))
        return memory

    return index


def graph_of(memory):
    graph = memory.graph
    synonyms = [graph.synonyms(at) for at in range(len(graph.gists))]
    return graph.gists, graph.facts, graph.phrases, graph.episodes, synonyms


def answers_of(memory):
    toolbox = memory.toolbox()
    calls = [ToolCall("find_gist_contexts", {"gist_id": gist.id}) for gist in memory.graph.gists]
    calls += [ToolCall("find_entity_contexts", {"subject": phrase}) for phrase in PHRASES]
    queries = [Query("q", "h", 0, text) for text in ("near 0", "Ann | knows | boat", "by 0.0")]
    return [toolbox.execute(call, "Who?") for call in calls], [
        memory.recall(query) for query in queries
    ]


said = st.sampled_from((*GIST_VECTORS, "near 0", "near 1", *FACT_TEXTS, "-"))
histories = st.lists(
    st.tuples(st.sampled_from(("s1", "s2", "s3")), st.lists(said, min_size=1, max_size=4)),
    min_size=1,
    max_size=10,
).map(
    lambda drawn: tuple(
        Episode(name, tuple(Message(f"{at}:{line}", "", text) for line, text in enumerate(lines)))
        for at, (name, lines) in enumerate(drawn)
    )
)


@given(episodes=histories, cuts=st.sets(st.integers(1, 9)), look_between=st.booleans())
def test_any_split_of_a_history_gives_the_same_graph_and_the_same_answers(
    empty_memory, indexed, episodes, cuts, look_between
):
    whole = indexed(episodes)
    borders = [0, *sorted(cut for cut in cuts if cut < len(episodes)), len(episodes)]
    parts = empty_memory()
    for start, end in pairwise(borders):
        with suppress(EmptyGraphError):
            parts.index(History("h", episodes[start:end]))
        if look_between:
            answers_of(parts)
    assert graph_of(parts) == graph_of(whole)
    assert answers_of(parts) == answers_of(whole)
