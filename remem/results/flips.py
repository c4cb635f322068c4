"""Find the questions that only one of two runs answers correctly, and where the runs diverge.

An answer counts as right if its score is at least one half, so graded scores are included.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from remem.results.run import Run
from remem.results.run_names import RunNames, run_names
from remem.types import Record, StepRecord

RIGHT = 0.5

Better = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two runs diverge: the number of the step, from 1; None if all steps are the same."""

    step: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that only one run has right, and the gold evidence that only one run found."""

    first: Record
    second: Record
    better: Better
    parting: Divergence
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlipRow:
    """The number of flips under a name, such as a category: only the first or second run right."""

    name: str
    first: int
    second: int


def flips(first: Run, second: Run, score: str, category: str | None) -> list[Flip]:
    """Return the questions that only one run has right, in the order of the first run's records."""
    theirs = {record.query_id: record for record in second.records}
    names = run_names(first, second)
    flipped = []
    for record in first.records:
        a, b = _score(first, record.query_id, score), _score(second, record.query_id, score)
        if a is None or b is None or category not in (None, record.gold.category):
            continue
        if (a >= RIGHT) != (b >= RIGHT):
            better: Better = "first" if a > b else "second"
            flipped.append(_flip(record, theirs[record.query_id], better, names))
    return flipped


def count_common_questions(
    first: Run, second: Run, score: str, category: str | None
) -> Counter[str]:
    """Count the questions that have a score in both runs, by category."""
    return Counter(
        record.gold.category
        for record in first.records
        if category in (None, record.gold.category)
        and _score(first, record.query_id, score) is not None
        and _score(second, record.query_id, score) is not None
    )


def parting(first: Record, second: Record, names: RunNames) -> Divergence:
    """Return the first step in which two runs differ, or else the difference after all steps.

    A run without steps is not compared step by step, since its memory may have none.

    Args:
        first: The record of a question in the first run.
        second: The record of the same question in the second run.
        names: The names of the two runs.
    """
    both = first.steps and second.steps
    pairs = zip_longest(_results(first), _results(second)) if both else ()
    for number, (ours, theirs) in enumerate(pairs, start=1):
        what = _difference(ours, theirs, names)
        if what:
            return Divergence(number, what)
    if [item.source for item in first.retrieved] != [item.source for item in second.retrieved]:
        return Divergence(None, "other evidence")
    return Divergence(None, "same evidence, read differently")


def flip_rows(flipped: Sequence[Flip], names: Sequence[str]) -> Iterator[FlipRow]:
    """Count the flips under each name, in both directions."""
    counts = Counter((name, flip.better) for name, flip in zip(names, flipped, strict=True))
    for name in sorted(set(names)):
        yield FlipRow(name, counts[name, "first"], counts[name, "second"])


Result = tuple[StepRecord, list[tuple[str, ...]]]
"""A step, and the source messages of each item that it returned."""


def _results(record: Record) -> Iterator[Result]:
    """Yield each step with its items as source messages, since item ids differ between indexes."""
    sources = {item.id: item.source for item in record.retrieved}
    for step in record.steps:
        yield step, [sources.get(item, (item,)) for item in step.seen]


def _difference(first: Result | None, other: Result | None, names: RunNames) -> str:
    if first is None or other is None:
        return f"only {names[first is None]} has a further step"
    ours, theirs = first[0], other[0]
    if ours.tool != theirs.tool:
        return "another tool"
    if ours.arguments != theirs.arguments:
        return "other arguments"
    if (first[1], ours.count, ours.error) != (other[1], theirs.count, theirs.error):
        return "same call, different result"
    return ""


def _flip(first: Record, second: Record, better: Better, names: RunNames) -> Flip:
    ours, theirs = evidence_found(first), evidence_found(second)
    gold: Sequence[str] = first.gold.evidence
    return Flip(
        first,
        second,
        better,
        parting(first, second, names),
        only_first=tuple(message_id for message_id in gold if message_id in ours - theirs),
        only_second=tuple(message_id for message_id in gold if message_id in theirs - ours),
    )


def evidence_found(record: Record) -> set[str]:
    """Return the ids of the source messages of the items retrieved for a question."""
    return {message for item in record.retrieved for message in item.source}


def _score(run: Run, query_id: str, score: str) -> float | None:
    scores = run.scores.get(query_id)
    value = None if scores is None else scores.value(score)
    return None if value is None else float(value)
