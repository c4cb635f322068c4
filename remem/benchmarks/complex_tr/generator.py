"""Generate a data set like Complex-TR from a seed, without any download.

The people and institutions are invented, and the questions have six levels. Each record has the
facts of its subject in a random order. The records have the schema of the real sample and are read
by the same loader. In the real sample, some gold answers differ from the names in the facts, and no
known rule explains how. Generated gold answers are always the names in the facts.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from remem.benchmarks.complex_tr.facts import Subject, draw_subjects
from remem.benchmarks.complex_tr.loader import build_benchmark, read_items, stated_facts
from remem.benchmarks.complex_tr.sampling import LEVELS, SampledQuestion, draw_question
from remem.benchmarks.json_files import generated_file
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.types import AnswerSeparator


class GeneratedComplexTR(BenchmarkOnLoaded):
    """The generated benchmark: one history, with the same number of questions for each level."""

    def __init__(
        self,
        *,
        seed: int,
        subjects: int,
        questions_per_level: int,
        answer_separator: AnswerSeparator,
    ) -> None:
        if seed < 0 or subjects < 1 or questions_per_level < 1:
            raise ValueError(
                f"generated_complex_tr needs seed >= 0, subjects >= 1 and questions_per_level >= "
                f"1, found seed={seed}, subjects={subjects} and questions_per_level="
                f"{questions_per_level}: change them in conf/dataset/generated_complex_tr.yaml"
            )
        self._sizes = {
            "seed": seed,
            "subjects": subjects,
            "questions_per_level": questions_per_level,
        }
        self._separator = answer_separator

    @cached_property
    def _loaded(self) -> LoadedBenchmark:
        records = generate_complex_tr(**self._sizes)
        sizes = ", ".join(f"{name}={size}" for name, size in self._sizes.items())
        source = generated_file(f"generated_complex_tr({sizes})", records)
        items = read_items(records, source.name)
        return build_benchmark(items, stated_facts(items), [source], self._separator)


def generate_complex_tr(seed: int, subjects: int, questions_per_level: int) -> list[dict[str, Any]]:
    """Generate the records, `questions_per_level` for each level, in random order."""
    rng = np.random.default_rng(seed)
    drawn = draw_subjects(subjects, rng)
    numbers: Counter[str] = Counter()
    records = []
    for level in LEVELS:
        for subject, question in _draw_level(level, questions_per_level, drawn, rng):
            records.append(_write_record(level, numbers[subject.id], subject, question, rng))
            numbers[subject.id] += 1
    return [records[i] for i in rng.permutation(len(records))]


def _draw_level(
    level: str, count: int, subjects: Sequence[Subject], rng: np.random.Generator
) -> list[tuple[Subject, SampledQuestion]]:
    """Draw a question about each subject in turn, in rounds, until there are enough questions."""
    drawn: dict[str, tuple[Subject, SampledQuestion]] = {}
    while len(drawn) < count:
        before = len(drawn)
        for i in rng.permutation(len(subjects)):
            question = draw_question(level, subjects[i], rng)
            if question is not None and len(drawn) < count:
                drawn.setdefault(question.text, (subjects[i], question))
        if len(drawn) == before:
            raise ValueError(
                f"generated_complex_tr finds only {before} of {count} questions of level {level} "
                f"(with dataset.build.subjects={len(subjects)}): increase dataset.build.subjects"
            )
    return list(drawn.values())


def _write_record(
    level: str, number: int, subject: Subject, question: SampledQuestion, rng: np.random.Generator
) -> dict[str, Any]:
    """Return a record in the dataset's format, which separates facts differently in level L2H."""
    separator = " \n" if level == "L2H" else " \n "
    lines = [str(subject.facts[i]) for i in rng.permutation(len(subject.facts))]
    return {
        "id": "_".join([level, subject.id, *question.relations, str(number)]),
        "question": question.text,
        "answers": list(question.answers),
        "fact_context": separator.join(lines),
    }
