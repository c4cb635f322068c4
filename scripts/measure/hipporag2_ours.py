"""Measure our HippoRAG 2 on generated passages: indexing, questions and one more passage.

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

from measure import passage_workload as workload
from measure.hipporag2_measurement import Asked, Measurement
from measure.left_out import LeftOut, peak_mib
from remem.prompts.library import own_library
from remem.protocols import ChatReply, ChatRequest, Parsed, QueryTarget, Vectors
from remem.types import Episode, History, Message, Usage

BEST = 10
BATCHES = 3
ADDITIONS = 3
WARM = 20
"""Passages of a warm-up memory that is built first."""

_FACTS = re.compile(r'^\{"fact".*\}$', re.MULTILINE)


class Stubs:
    """Stubs for the extraction, the filter's model and the embedder, whose time is not counted."""

    dimension = workload.DIMENSION

    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out
        self._extracted = import_module("remem.baselines.hipporag2_openie").Extracted

    def extract(self, passage: str) -> Any:
        """Return the triples of a passage."""
        with self._left_out.stub():
            return self._extracted(tuple(workload.triples_of(passage)), Usage(2, 0, 0))

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Select the first facts that are shown."""
        with self._left_out.stub():
            shown = _FACTS.search(request.messages[-1].content)
            facts = json.loads(shown[0])["fact"] if shown else []
            reply = ChatReply(json.dumps({"fact": facts[: workload.KEPT]}), (), False, Usage(1))
        return parse(reply), reply.usage

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, phrases or facts."""
        with self._left_out.stub():
            return workload.vectors_of(texts, "document")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of questions."""
        with self._left_out.stub():
            return workload.vectors_of(texts, target)


def main(asked: Asked) -> Measurement:
    """Measure indexing, questions and additions.

    Raises:
        ValueError: A batch ranks otherwise than its questions singly.
    """
    left_out = LeftOut()
    stubs, questions = Stubs(left_out), asked.texts()
    warm = _memory(stubs)  # its first rank imports scipy; what the package imports is left out too
    warm.index(_history(range(WARM), WARM))
    warm.rank(questions[0])
    memory = _memory(stubs)

    def take_in(history: History) -> float:
        """Index, ask once and save, because the package's index includes these steps."""
        with TemporaryDirectory() as folder:

            def index_and_save() -> None:
                memory.index(history)
                memory.rank(questions[0])
                memory.save(Path(folder))

            return left_out.spent(index_and_save)[0]

    index = take_in(_history(range(asked.passages), asked.passages))
    singly = [left_out.spent(memory.rank, text) for text in questions]
    batches = [left_out.spent(memory.rank_many, questions) for _ in range(BATCHES)]
    best = _best([ranking for _, ranking in singly])
    if any(_best(found) != best for _, found in batches):
        raise ValueError("a batch of questions was ranked otherwise than its questions singly")
    peak = peak_mib()
    more = range(asked.passages, asked.passages + (ADDITIONS if asked.add else 0))
    added = [take_in(_history([number], asked.passages)) for number in more]
    return Measurement(
        index=index,
        queries=tuple(seconds for seconds, _ in singly),
        batched=tuple(seconds / len(questions) for seconds, _ in batches),
        added=tuple(added),
        peak_mib=peak,
        best=best,
    )


def _memory(stubs: Stubs) -> Any:
    fact_filter = import_module("remem.baselines.hipporag2_filter").LLMFilter
    return import_module("remem.baselines.hipporag2").HippoRAG2(
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


def _history(numbers: Sequence[int], of: int) -> History:
    messages = (Message(f"m{number}", "", workload.passage(number, of)) for number in numbers)
    return History("made up", tuple(Episode(f"e{message.id}", (message,)) for message in messages))


def _best(rankings: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.asarray(ranking.passages[:BEST]).tolist()) for ranking in rankings)
