"""Measure our HippoRAG 2: indexing, questions and a few more passages.

The memory is named by its class path, as in a configuration: nothing of remem imports a baseline.
"""

import json
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from measure.hipporag2_measurement import HippoRagMeasurement, MeasuredCorpus, MeasuredQuestion
from measure.left_out import LeftOut, peak_mib
from measure.passage_workload import DIMENSION, KEPT
from remem.prompts.library import own_library
from remem.protocols import ChatReply, ChatRequest, Parsed, QueryTarget, Vectors
from remem.types import Episode, History, Message, Usage

BEST = 10
BATCHES = 3
WARM = 20
"""Passages of a warm-up memory that is built first."""

_FACTS = re.compile(r'^\{"fact".*\}$', re.MULTILINE)


class Stubs:
    """Stubs for the extraction, the filter's model and the embedder, whose time is not counted."""

    dimension = DIMENSION

    def __init__(self, left_out: LeftOut, module: str) -> None:
        self.left_out = left_out
        self._made_up = import_module(module)
        self._extracted = import_module("baselines.hipporag2_openie").Extracted

    def extract(self, passage: str) -> Any:
        """Return the triples of a passage."""
        with self.left_out.stub():
            return self._extracted(tuple(self._made_up.triples_of(passage)), Usage(2, 0, 0))

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Select the first facts that are shown."""
        with self.left_out.stub():
            shown = _FACTS.search(request.messages[-1].content)
            facts = json.loads(shown[0])["fact"] if shown else []
            reply = ChatReply(json.dumps({"fact": facts[:KEPT]}), (), False, Usage(1))
        return parse(reply), reply.usage

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, phrases or facts."""
        with self.left_out.stub():
            return self._vectors(texts, "document")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of questions."""
        with self.left_out.stub():
            return self._vectors(texts, target)

    def _vectors(self, texts: Sequence[str], kind: str) -> Vectors:
        vectors: Vectors = self._made_up.vectors_of(texts, kind)
        return vectors


def main(measured: MeasuredQuestion) -> HippoRagMeasurement:
    """Measure indexing, questions and additions.

    Raises:
        ValueError: A batch ranks otherwise than its questions singly.
    """
    stubs, first = Stubs(LeftOut(), measured.stubs), measured.corpora[0]
    warm = _memory(stubs)  # its first rank imports scipy; what the package imports is left out too
    warm.index(_history(first.passages[:WARM]))
    warm.rank(first.questions[0])
    return HippoRagMeasurement.of([_measured(stubs, corpus) for corpus in measured.corpora])


def _measured(stubs: Stubs, corpus: MeasuredCorpus) -> HippoRagMeasurement:
    memory, left_out, questions = _memory(stubs), stubs.left_out, corpus.questions

    def take_in(texts: Sequence[str]) -> float:
        """Index, ask once and save, because the package's index includes these steps."""
        history = _history(texts)
        with TemporaryDirectory() as folder:

            def index_and_save() -> None:
                memory.index(history)
                memory.rank(questions[0])
                memory.save(Path(folder))

            return left_out.spent(index_and_save)[0]

    index = take_in(corpus.passages)
    singly = [left_out.spent(memory.rank, text) for text in questions]
    batches = [left_out.spent(memory.rank_many, questions) for _ in range(BATCHES)]
    best = _best([ranking for _, ranking in singly])
    if any(_best(answers) != best for _, answers in batches):
        raise ValueError("a batch of questions was ranked otherwise than its questions singly")
    peak = peak_mib()
    added = [take_in([text]) for text in corpus.added]
    return HippoRagMeasurement(
        index=index,
        queries=tuple(seconds for seconds, _ in singly),
        batched=tuple(seconds / len(questions) for seconds, _ in batches),
        added=tuple(added),
        peak_mib=peak,
        best=best,
    )


def _memory(stubs: Stubs) -> Any:
    fact_filter = import_module("baselines.hipporag2_openie").LLMFilter
    return import_module("baselines.hipporag2").HippoRAG2(
        openie=stubs,
        fact_filter=fact_filter(
            chat_model=stubs, prompts=own_library(), prompt="hipporag2_filter.v1", as_json=True
        ),
        embedder=stubs,
        unit="session",
        top_k=BEST,
        parallel_passages=1,
        linking_top_k=5,
        synonymy_threshold=0.8,
        passage_node_weight=0.05,
        damping=0.5,
    )


def _history(texts: Sequence[str]) -> History:
    messages = [Message(f"m{number}", "", text) for number, text in enumerate(texts)]
    return History("made up", tuple(Episode(f"e{message.id}", (message,)) for message in messages))


def _best(rankings: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.asarray(ranking.passages[:BEST]).tolist()) for ranking in rankings)
