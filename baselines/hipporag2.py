"""HippoRAG 2 (arXiv 2502.14802, package 2.0.0a4) as a memory, built from our own components.

Deviations: An outage of the model raises an error, while the package silently ranks by embeddings.
If all facts score zero, the walk starts at the passages, while the package stops. The prompts are
our own.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

from baselines import hipporag2_file as index_file
from baselines.hipporag2_graph import Links, PhraseGraph, Synonyms, Walk
from baselines.hipporag2_openie import Extracted, FactFilter, OpenIE
from baselines.hipporag2_search import PassageRanking, Search, SearchSettings
from remem.errors import NoPassageReadError
from remem.index.ranking import VectorTable
from remem.index.stored_arrays import naming_damage
from remem.passages import session_passage
from remem.protocols import Embedder, Vectors
from remem.types import (
    Episode,
    Evidence,
    History,
    IndexHealth,
    Observation,
    Passage,
    Query,
    Step,
    ToolCall,
    Usage,
)

BATCH = 64
"""Number of questions ranked at once."""
BLANK = " "
"""Text that is embedded for an empty phrase, because endpoints reject an empty text."""


class HippoRAG2:
    """Recalls passages by a random walk over phrases and passages that starts at relevant facts."""

    def __init__(
        self,
        *,
        openie: OpenIE,
        fact_filter: FactFilter,
        embedder: Embedder,
        unit: Literal["message", "session"],
        top_k: int,
        parallel_passages: int,
        linking_top_k: int,
        synonymy_threshold: float,
        passage_node_weight: float,
        damping: float,
    ) -> None:
        for name, number in {"top_k": top_k, "linking_top_k": linking_top_k}.items():
            if number < 1:
                raise ValueError(f"method.build.{name} must be at least 1, found {number}")
        if unit not in ("message", "session"):
            raise ValueError(f"unknown unit {unit!r}, expected 'message' or 'session'")
        self._openie = openie
        self._fact_filter = fact_filter
        self._embedder = embedder
        self._by_message = unit == "message"
        self._top_k = top_k
        self._parallel = parallel_passages
        self._settings = SearchSettings(linking_top_k, passage_node_weight, damping)
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self._graph = PhraseGraph()
        self._synonyms = Synonyms(threshold=synonymy_threshold)
        self._passages: dict[str, Passage] = {}
        self._passage_vectors, self._phrase_vectors, self._fact_vectors = _tables()
        self._lock = threading.Lock()
        self._search: Search | None = None

    def index(self, history: History) -> None:
        """Extract, embed and connect the new passages.

        An outage of the model or the embedder raises an error. Indexing the same history again, in
        this object or a new one, reuses the replies in the call store.
        """
        passages = self._with(history)
        fresh = list(passages.values())[len(self._passages) :]
        extractions = self._extracted([passage.text for passage in fresh])
        self._passages = passages
        for passage, extracted in zip(fresh, extractions, strict=True):
            self._add(passage, extracted)
        if self._passages and len(self.failures) == len(self._passages):
            raise NoPassageReadError(
                f"no triples could be extracted from history {history.id}; the first failure, in "
                f"{self.failures[0][0]}: {self.failures[0][1]}; check the model and start again"
            )
        self._embed()
        self._search = None

    def recall(self, query: Query) -> Evidence:
        """Return the best passages, and a step that shows how they were found."""
        if not self._passages:
            return Evidence()
        ranking = self.rank(query.text)
        passages = list(self._passages.values())
        best = ranking.passages[: self._top_k].tolist()
        return Evidence(
            passages=tuple(passages[position] for position in best),
            steps=(_step(ranking),),
            usage=ranking.usage,
        )

    def rank(self, question: str) -> PassageRanking:
        """Return all passages ranked for a question; there must be at least one passage."""
        fact_queries, passage_queries = self._queries([question])
        return self._ready().rank(question, fact_queries[0], passage_queries[0])

    def rank_many(self, questions: Sequence[str]) -> list[PassageRanking]:
        """Rank all passages for each of many questions, much faster than one question at a time.

        The order is the same as that of `rank`, except among scores that agree to six digits.
        """
        rankings: list[PassageRanking] = []
        for at in range(0, len(questions), BATCH):
            batch = questions[at : at + BATCH]
            rankings += self._ready().rank_many(batch, *self._queries(batch))
        return rankings

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of passages and how many of them have a date."""
        dated = sum(passage.time is not None for passage in self._passages.values())
        return IndexHealth(len(self._passages), dated, self._top_k)

    @property
    def phrases(self) -> tuple[str, ...]:
        """Return the phrase nodes, in the order of their numbers."""
        return tuple(self._graph.phrases)

    def links(self) -> Links:
        """Return the directed weights of the graph; passages are numbered after the phrases."""
        return self._graph.links(self._synonyms)

    def save(self, folder: Path) -> None:
        """Write passages, triples, vectors, usage and failures into an existing folder."""
        texts = index_file.Texts(
            tuple(self._passages.values()),
            tuple(self._graph.passages),
            self.index_usage,
            self.failures,
        )
        arrays = index_file.Arrays(
            self._passage_vectors.rows,
            self._phrase_vectors.rows,
            self._fact_vectors.rows,
            self._synonyms.pairs,
            self._synonyms.scores,
        )
        index_file.save(folder, texts, arrays)

    def load(self, folder: Path) -> None:
        """Read the output of `save`; raise DamagedIndexError if it is invalid."""
        with naming_damage(folder, "HippoRAG 2 index"):
            self._restore(*index_file.load(folder))

    def _queries(self, questions: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the embeddings of the questions for comparison with facts and with passages."""
        embed = self._embedder.embed_queries
        return embed(questions, "fact"), embed(questions, "passage")

    def _with(self, history: History) -> dict[str, Passage]:
        """Return all passages by text; a repeated text is one passage, as in the package."""
        passages = dict(self._passages)
        for passage in self._units(history):
            first_passage = passages.setdefault(passage.text, passage)
            if first_passage is not passage:
                sources = tuple(dict.fromkeys(first_passage.source + passage.source))
                passages[passage.text] = replace(first_passage, source=sources)
        return passages

    def _units(self, history: History) -> Sequence[Passage]:
        units = history.episodes
        if self._by_message:
            units = tuple(Episode(message.id, (message,)) for message in history.messages())
        return [session_passage(unit) for unit in units if unit.messages]

    def _extracted(self, texts: Sequence[str]) -> list[Extracted]:
        if self._parallel == 1:  # a thread would take longer than a stored reply
            return [self._openie.extract(text) for text in texts]
        with ThreadPoolExecutor(self._parallel) as pool:
            return list(pool.map(self._openie.extract, texts))

    def _add(self, passage: Passage, extracted: Extracted) -> None:
        self._graph.add(extracted.triples)
        self.index_usage += extracted.usage
        if extracted.failure:
            self.failures += ((passage.id, extracted.failure),)

    def _embed(self) -> None:
        """Embed all new texts, or none of them after an outage."""
        embedded = len(self._phrase_vectors.rows)
        phrases = islice(self._graph.phrases, embedded, None)
        facts = islice(self._graph.facts, len(self._fact_vectors.rows), None)
        added = [
            (table, self._embedder.embed_documents(texts))
            for table, texts in (
                (self._passage_vectors, list(self._passages)[len(self._passage_vectors.rows) :]),
                (self._phrase_vectors, [text or BLANK for text in phrases]),
                (self._fact_vectors, [str(fact) for fact in facts]),
            )
            if texts
        ]
        for table, vectors in added:
            table.append(vectors)
        self._synonyms.add(self._phrase_vectors.rows, embedded)

    def _ready(self) -> Search:
        with self._lock:
            if self._search is None:
                size = len(self._graph.phrases) + len(self._graph.passages)
                self._search = Search(
                    self._settings,
                    self._fact_filter,
                    list(self._graph.facts),
                    self._graph.ends(),
                    self._fact_vectors.rows,
                    self._passage_vectors.rows,
                    Walk(self.links(), size=size, damping=self._settings.damping),
                )
            return self._search

    def _restore(self, texts: index_file.Texts, arrays: index_file.Arrays) -> None:
        graph = PhraseGraph()
        for triples in texts.triples:
            graph.add(triples)
        kept = (
            ("passages", arrays.passages, len(texts.passages)),
            ("phrases", arrays.phrases, len(graph.phrases)),
            ("facts", arrays.facts, len(graph.facts)),
        )
        tables = _tables()
        for table, (what, vectors, count) in zip(tables, kept, strict=True):
            index_file.check_shape(what, vectors, count, self._embedder.dimension)
            table.append(vectors)
        self._graph = graph
        self._passages = {passage.text: passage for passage in texts.passages}
        self._passage_vectors, self._phrase_vectors, self._fact_vectors = tables
        self._synonyms.restore(arrays.synonyms, arrays.likeness)
        self.index_usage, self.failures = texts.usage, texts.failures
        self._search = None


def _tables() -> tuple[VectorTable, VectorTable, VectorTable]:
    return VectorTable(), VectorTable(), VectorTable()


def _step(ranking: PassageRanking) -> Step:
    """Return a step that lists the facts; its tool name says if only embeddings were used."""
    names = [" | ".join(fact) for fact in ranking.candidates]
    tool = "recognition_memory" if ranking.kept else "dense_fallback"
    kept = "; ".join(" | ".join(fact) for fact in ranking.kept)
    message = f"{len(ranking.kept)} of {len(names)} facts kept{': ' if kept else ''}{kept}"
    return Step(ToolCall(tool, {"facts": names}, usage=ranking.usage), Observation(message))
