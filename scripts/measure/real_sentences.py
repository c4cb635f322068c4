"""Collect the distinct sentences and the questions of the datasets in REMEM_DATA.

For vectors of real texts: a sentence of a message or passage is as long as a gist or a fact.
"""

import re
from collections.abc import Iterator, Sequence

from remem.config.run_config import configure
from remem.protocols import Benchmark

DATASETS = (
    ("dataset=locomo",),
    ("dataset=realtalk",),
    ("dataset=longmemeval_excerpt",),
    ("dataset=musique_train",),
    ("dataset=two_wiki",),
    ("dataset=personamem",),
    ("dataset=beam", "dataset.build.size=100K"),
    ("dataset=beam", "dataset.build.size=500K"),
)
WORDS = range(4, 41)
"""Numbers of words of a sentence: fewer say nothing, more are lists or code."""
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_MARKS = re.compile(r"^[\s>#*+\-\u2022|\d.)]+|[*_`|]+")


def real_benchmarks() -> list[Benchmark]:
    """Return the datasets that are in REMEM_DATA."""
    found = []
    for overrides in DATASETS:
        try:
            found.append(configure(*overrides).build_benchmark())
        except FileNotFoundError:
            continue
    return found


def distinct_sentences(benchmarks: Sequence[Benchmark]) -> list[str]:
    """Return all sentences, each once: texts that differ in case only are the same."""
    found: dict[str, str] = {}
    for benchmark in benchmarks:
        for history in benchmark.histories():
            for message in history.messages():
                for sentence in sentences_of(message.text):
                    found.setdefault(sentence.casefold(), sentence)
    return list(found.values())


def distinct_questions(benchmarks: Sequence[Benchmark]) -> list[str]:
    """Return all questions, each once, in the order of the datasets."""
    found: dict[str, None] = {}
    for benchmark in benchmarks:
        for history in benchmark.histories():
            found |= dict.fromkeys(q.query.text for q in benchmark.questions(history.id))
    return list(found)


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without list marks and emphasis."""
    for part in _END.split(text):
        sentence = " ".join(_MARKS.sub("", part).split())
        if len(sentence.split()) in WORDS:
            yield sentence
