"""Time a memory over a generated history: building, queries and additions."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from measure.generated_history import DrawnExtractor, span
from measure.line import Sample
from measure.timed_dense import TimedPairs
from measure.workload import RULES, sentences, unit_vectors
from remem.index.bm25_lexical import Bm25sLexical
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.protocols import DenseIndex, QueryTarget, Vectors
from remem.types import Observation, ToolCall

TOP = 10
WORDS = 8
THRESHOLD = 0.8


@dataclass(slots=True)
class Workload:
    """The content and the queries of a memory of some size."""

    size: int
    appended: int
    """Number of gists that are appended, and of facts."""
    gists: Vectors
    facts: Vectors
    queries: Vectors
    extractor: DrawnExtractor
    pairs: list[TimedPairs] = field(default_factory=list)
    """The pairs of the last memory only, because older ones would keep their vectors alive."""

    @classmethod
    def draw(cls, size: int, appended: int, dimension: int, repeats: int, seed: int) -> "Workload":
        """Draw random vectors and the extractor from a seed."""
        rng = np.random.default_rng(seed)
        gists, facts = (unit_vectors(size + appended, dimension, rng) for _ in range(2))
        queries = unit_vectors(repeats, dimension, rng)
        return cls(size, appended, gists, facts, queries, DrawnExtractor(size, seed))

    def memory(self, dense: Callable[[], DenseIndex]) -> REMem:
        """Return an empty memory whose embedder has the drawn vectors."""
        self.pairs.clear()

        def timed() -> DenseIndex:
            self.pairs.append(TimedPairs(dense()))
            return self.pairs[-1]

        return REMem(
            extractor=self.extractor,
            episode_unit="session",
            parallel_episodes=1,
            embedder=PreparedEmbedder(self.gists, self.facts, self.queries),
            dense=timed,
            lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
            planner=ScriptedPlanner(),
            max_steps=3,
            top_k=TOP,
            synonymy_threshold=THRESHOLD,
            rules=RULES,
            fact_string="bars",
            use_gists=True,
            use_facts=True,
            use_synonymy=True,
            tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
        )

    def calls(self, repeats: int) -> dict[str, list[ToolCall]]:
        """Draw calls of each tool except semantic_retrieve."""
        rng = np.random.default_rng(self.size)
        texts = [" ".join(text.split()[:WORDS]) for text in sentences(repeats, rng)]
        gists = rng.integers(1, self.size + 1, repeats).tolist()
        names = [
            self.extractor.name(number % self.extractor.entities)
            for number in range(1, repeats + 1)
        ]
        towns = rng.integers(0, self.extractor.towns, repeats).tolist()
        relations = [f"relation {gist % 200}" for gist in gists]
        entity = "find_entity_contexts"
        return {
            "lexical_retrieve": [ToolCall("lexical_retrieve", {"query": text}) for text in texts],
            "find_gist_contexts": [
                ToolCall("find_gist_contexts", {"gist_id": f"g{at}"}) for at in gists
            ],
            "find_entity_contexts, exact": [
                ToolCall(entity, {"subject": name, "predicate": by, "ordering": "asc"})
                for name, by in zip(names, relations, strict=True)
            ],
            "find_entity_contexts, substring": [
                ToolCall(entity, {"subject": f"OF TOWN {town}"}) for town in towns
            ],
            "find_entity_contexts, count": [
                ToolCall(entity, {"predicate": by, "aggregation": "count_unique_subjects"})
                for by in relations
            ],
        }

    def semantic(self, repeats: int, share: float | None) -> list[ToolCall]:
        """Return searches over a share of the time range, or all of it."""
        begins = np.linspace(0, 1 - (share or 1), repeats).tolist()
        spans = [{} if share is None else span(begin, share) for begin in begins]
        return [
            ToolCall("semantic_retrieve", {"query": f"query {at}", **span})
            for at, span in enumerate(spans)
        ]


class PreparedEmbedder:
    """An embedder with prepared vectors; a query's number is at the end of its text."""

    def __init__(self, gists: Vectors, facts: Vectors, queries: Vectors) -> None:
        self._left = [gists, facts]  # the memory asks for its new gists, then for its new facts
        self._queries = queries
        self.dimension = gists.shape[1]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the next vectors: gists, then facts, in turns."""
        left = self._left.pop(0)
        if len(left) < len(texts):
            raise ValueError(f"found {len(texts)} texts for {len(left)} prepared vectors")
        self._left.append(left[len(texts) :])
        return left[: len(texts)]

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of these queries."""
        return self._queries[[int(text.split()[-1]) % len(self._queries) for text in texts]]


def ask(memory: REMem, call: ToolCall) -> tuple[float, Observation]:
    """Return the milliseconds of a call, and its result."""
    toolbox = memory.toolbox()
    begun = time.perf_counter()
    observation = toolbox.execute(call, "question 0")
    milliseconds = 1000 * (time.perf_counter() - begun)
    if observation.error:
        raise ValueError(f"{call.tool}: {observation.message}")
    return milliseconds, observation


def asked(memory: REMem, calls: Sequence[ToolCall]) -> Sample:
    """Time calls in milliseconds, after an unmeasured first call."""
    ask(memory, calls[0])
    return Sample.of([ask(memory, call)[0] for call in calls])


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of an action, run once."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
