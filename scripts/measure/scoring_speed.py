"""Measure scoring: all conventions on given records, and the intervals of a whole table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from measure.beside import timed
from measure.line import Goal, MeasuredLine, Sample
from measure.workload import sentences
from remem.metrics.scores import score_questions, summarise_questions
from remem.results.conventions import score_sets
from remem.results.rescore import Scoring, rescore
from remem.types import Gold, Record, Retrieved

RELEASED_F1 = "released_comma_cut"
SCORES = ("f1", "bleu1", "em", "recall_at_10")
ANSWER_WORDS = 6
CATEGORIES = ("1", "2", "3", "4", "5")
TABLE_ROWS = 10
"""Number of rows of the paper's LoCoMo table."""
GOALS = {2_000: 2.0, 6_514: 5.0}
"""Maximum seconds by number of records."""


def measure_scoring(counts: Sequence[int], table: int, repeats: int) -> Iterator[MeasuredLine]:
    """Score these numbers of records, and compute the intervals of `table` questions."""
    ways = score_sets([], RELEASED_F1)
    for count in counts:
        records = _records(count)
        seconds = [timed(lambda r=records: _rescore(r)) for _ in range(repeats)]  # type: ignore[misc]
        yield MeasuredLine(
            name=f"{count:,} records scored again under {len(ways)} conventions",
            unit="s of CPU",
            ours=Sample.of(seconds),
            goal=Goal("<=", GOALS[count], of="median") if count in GOALS else None,
            note=f"{', '.join(SCORES)}, each with two intervals of 9,999 draws",
        )
    convention = replace(ways["paper"], bootstrap_unit="questions")
    records = _records(table)
    verdicts = {record.query_id: float(record.index % 3 > 0) for record in records}
    questions = score_questions(records, convention, verdicts)
    categories = [record.gold.category for record in records]

    def intervals() -> None:
        for row in range(TABLE_ROWS):
            summarise_questions(questions, categories, replace(convention, seed=row))

    yield MeasuredLine(
        name=f"intervals of LoCoMo's table, {TABLE_ROWS} rows of {table:,} questions",
        unit="s of CPU",
        ours=Sample.of([timed(intervals) for _ in range(repeats)]),
        goal=Goal("<=", 10.0, of="median"),
        note="every score a run has, over all and by category, 9,999 draws of questions",
    )


def _rescore(records: Sequence[Record]) -> None:
    ways = score_sets([], RELEASED_F1)
    rescore([Scoring(name, records, chosen) for name, chosen in ways.items()], SCORES, None)


def _records(count: int) -> list[Record]:
    """Return records whose gold and answer share words."""
    rng = np.random.default_rng(count)
    return [_record(at, text, rng) for at, text in enumerate(sentences(count, rng))]


def _record(at: int, text: str, rng: np.random.Generator) -> Record:
    words = text.split()
    start = int(rng.integers(0, 3))
    category = CATEGORIES[at % len(CATEGORIES)]
    gold = Gold(
        (" ".join(words[:ANSWER_WORDS]),),
        category,
        answerable=category != "5",
        evidence=(f"m{at}",),
        group=f"conv-{at % 10}",
    )
    retrieved = tuple(Retrieved(f"g{n}", (f"m{at + n}",)) for n in range(20))
    answer = " ".join(words[start : start + ANSWER_WORDS])
    return Record(
        query_id=f"q{at}",
        history_id=f"h{at % 10}",
        index=at,
        question=text,
        gold=gold,
        status="ok",
        answer=answer,
        retrieved=retrieved,
        context_tokens=900,
    )
