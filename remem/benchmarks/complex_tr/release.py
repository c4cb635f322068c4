"""Complex-TR as released by its authors, from which the paper samples 1,000 questions.

The paper does not say which questions. A sample drawn here is a different one, and its name says
so.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from remem.benchmarks.complex_tr.loader import build_benchmark, read_items, stated_facts
from remem.benchmarks.json_files import parse_json, read_bytes
from remem.benchmarks.stratified import OWN_CHOICE
from remem.protocols import DataFile
from remem.types import AnswerSeparator, History, Question


class ComplexTRRelease:
    """A seeded sample of a JSON Lines file (test_gold.json), with the facts of its questions."""

    def __init__(
        self, *, data: str, file: str, sample: int, seed: int, answer_separator: AnswerSeparator
    ) -> None:
        content, source = read_bytes(Path(data), "complex_tr", file)
        lines = [line for line in content.splitlines() if line.strip()]
        records = parse_json(b"[%s]" % b",\n".join(lines), source.name)
        if not 1 <= sample <= len(records):
            raise ValueError(
                f"dataset.build.sample is {sample}, but {source.name} has {len(records)} "
                f"questions; choose 1 to {len(records)}"
            )
        drawn = np.random.default_rng(seed).choice(len(records), sample, replace=False)
        items = read_items([records[position] for position in sorted(drawn)], source.name)
        marker = f"({sample} questions drawn with seed {seed}, {OWN_CHOICE})"
        named = DataFile(f"{source.name} {marker}", source.sha256)
        self._loaded = build_benchmark(items, stated_facts(items), [named], answer_separator)

    def histories(self) -> Sequence[History]:
        """Return the only history."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the sampled questions, in the order of the file."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return the source file, with a note on the sample in its name."""
        return self._loaded.files()
