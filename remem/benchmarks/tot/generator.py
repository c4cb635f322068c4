"""Generate a data set like Test of Time's semantic split from a seed, without any download.

Each graph belongs to one of seven families and has one question, of one of eight types. It gives
five records, which differ only in the order of the facts. The records have the schema of the
original file and are read by the same loader.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from remem.benchmarks.json_files import generated_file
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.benchmarks.tot.facts import (
    SORTING_TYPES,
    SYNTHETIC,
    WIKIDATA,
    TemporalFact,
    Vocabulary,
    draw_facts,
    draw_vocabulary,
    sort_facts,
)
from remem.benchmarks.tot.graphs import FAMILIES, draw_edges, draw_sizes
from remem.benchmarks.tot.loader import ToTSemantic
from remem.benchmarks.tot.sampling import TotWording, draw_question, wordings

INSTRUCTION = (
    "Answer the following question from the temporal facts above, each of which holds in the "
    "stated direction only (the facts are unidirectional). Reply with nothing but a valid JSON "
    'string that has two fields: "explanation" for the reasoning and "answer" for the final value.'
)


@dataclass(frozen=True, slots=True)
class _Base:
    """A graph and its question, before its facts are ordered."""

    family: str
    question_type: str
    facts: tuple[TemporalFact, ...]
    question: str
    label: str


class GeneratedToT(BenchmarkOnLoaded):
    """The generated benchmark; `graphs_per_cell=10` gives 2,800 questions, as in the real data."""

    def __init__(
        self, *, seed: int, graphs_per_cell: int, subset: int | None, subset_seed: int
    ) -> None:
        if seed < 0 or graphs_per_cell < 1:
            raise ValueError(
                f"generated_tot needs seed >= 0 and graphs_per_cell >= 1, found seed={seed} and "
                f"graphs_per_cell={graphs_per_cell}: change them in conf/dataset/generated_tot.yaml"
            )
        self._seed = seed
        self._graphs_per_cell = graphs_per_cell
        self._subset = subset
        self._subset_seed = subset_seed

    @property
    def _loaded(self) -> LoadedBenchmark:
        return _loaded(self._seed, self._graphs_per_cell, self._subset, self._subset_seed)


@lru_cache(maxsize=2)
def _loaded(
    seed: int, graphs_per_cell: int, subset: int | None, subset_seed: int
) -> LoadedBenchmark:
    """Return the data set, cached so that all runs of a process share it."""
    records = generate_tot(seed, graphs_per_cell)
    name = f"generated_tot(seed={seed}, graphs_per_cell={graphs_per_cell})"
    return ToTSemantic.from_json(
        records,
        name="generated_tot",
        files=[generated_file(name, records)],
        subset=subset,
        subset_seed=subset_seed,
    )


def generate_tot(seed: int, graphs_per_cell: int) -> list[dict[str, str]]:
    """Return the records: 7 families x 8 question types x `graphs_per_cell` x 5 orders."""
    rng = np.random.default_rng(seed)
    vocabulary = draw_vocabulary(rng)
    records: list[dict[str, str]] = []
    for row, family in enumerate(FAMILIES):
        sizes = iter(draw_sizes(family, len(wordings()) * graphs_per_cell, rng))
        for question_type, ways in wordings().items():
            for number in range(row * graphs_per_cell, (row + 1) * graphs_per_cell):
                wording = ways[number % len(ways)]
                base = _draw_base(
                    family, next(sizes), question_type, wording, vocabulary=vocabulary, rng=rng
                )
                records += _in_five_orders(base, vocabulary, rng)
    return records


def _draw_base(
    family: str,
    n_nodes: int,
    question_type: str,
    wording: TotWording,
    *,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
) -> _Base:
    """Draw graphs with `n_nodes` nodes until one has a suitable question."""
    style = WIKIDATA if family == "wikidata_anonymized" else SYNTHETIC
    while True:
        facts = draw_facts(draw_edges(family, n_nodes, rng), style, vocabulary, rng)
        drawn = draw_question(question_type, wording, facts, rng)
        if drawn is not None:
            return _Base(family, question_type, tuple(facts), *drawn)


def _in_five_orders(
    base: _Base, vocabulary: Vocabulary, rng: np.random.Generator
) -> Iterator[dict[str, str]]:
    for sorting_type in SORTING_TYPES:
        ordered = sort_facts(base.facts, sorting_type, vocabulary, rng)
        yield {
            "graph_gen_algorithm": base.family,
            "prompt": write_prompt(ordered, base.question),
            "question": base.question,
            "question_type": base.question_type,
            "sorting_type": sorting_type,
            "label": base.label,
        }


def write_prompt(facts: Sequence[TemporalFact], question: str) -> str:
    """Return a prompt in the dataset's format: facts, an empty line, instruction, question."""
    lines = "\n".join(str(fact) for fact in facts)
    return f"Here is a set of temporal facts:\n{lines}\n\n{INSTRUCTION}\nQuestion:\n{question}"
