"""Questions that one of two runs has right and the other wrong: where the two parted ways.

Right is a score of one half or more, so that graded scores flip too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from remem.evaluation.scored_run import ScoredRun
from remem.types import Record, StepRecord

RIGHT = 0.5

Better = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two runs parted: at a step, counted from 1, or None after all of them."""

    step: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that flipped, with the gold evidence that only one of the runs was given."""

    first: Record
    second: Record
    better: Better
    parting: Divergence
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlipRow:
    """How many questions of a category flipped, or parted in some way, and how."""

    name: str
    first: int
    second: int


def flips(first: ScoredRun, second: ScoredRun, score: str, category: str | None) -> list[Flip]:
    """Return the questions that flipped, in the order of the first run's records."""
    theirs = {record.query_id: record for record in second.records}
    found = []
    for record in first.records:
        a, b = _score(first, record.query_id, score), _score(second, record.query_id, score)
        if a is None or b is None or category not in (None, record.gold.category):
            continue
        if (a >= RIGHT) != (b >= RIGHT):
            found.append(_flip(record, theirs[record.query_id], "first" if a > b else "second"))
    return found


def parting(first: Record, second: Record) -> Divergence:
    """Say where two runs parted: the first step that is not the same, else what came after."""
    pairs = zip_longest(_results(first), _results(second))
    for number, (one, other) in enumerate(pairs, start=1):
        what = _difference(one, other)
        if what:
            return Divergence(number, what)
    if [item.source for item in first.retrieved] != [item.source for item in second.retrieved]:
        return Divergence(None, "other evidence")
    return Divergence(None, "same evidence, read otherwise")


def flip_rows(found: Sequence[Flip], names: Sequence[str]) -> Iterator[FlipRow]:
    """Count the flips under each name, in both directions."""
    counts = Counter((name, flip.better) for name, flip in zip(names, found, strict=True))
    for name in sorted(set(names)):
        yield FlipRow(name, counts[name, "first"], counts[name, "second"])


Result = tuple[StepRecord, list[tuple[str, ...]]]
"""A step, and the messages that each item it saw comes from."""


def _results(record: Record) -> Iterator[Result]:
    """Ids are those of an index: items of two indexes are the same if their messages are."""
    sources = {item.id: item.source for item in record.retrieved}
    for step in record.steps:
        yield step, [sources.get(item, (item,)) for item in step.seen]


def _difference(one: Result | None, other: Result | None) -> str:
    if one is None or other is None:
        return f"only the {'second' if one is None else 'first'} goes on"
    ours, theirs = one[0], other[0]
    if ours.tool != theirs.tool:
        return "another tool"
    if ours.arguments != theirs.arguments:
        return "other arguments"
    if (one[1], ours.count, ours.error) != (other[1], theirs.count, theirs.error):
        return "same call, other result"
    return ""


def _flip(first: Record, second: Record, better: Better) -> Flip:
    ours, theirs = evidence_found(first), evidence_found(second)
    gold: Sequence[str] = first.gold.evidence
    return Flip(
        first,
        second,
        better,
        parting(first, second),
        only_first=tuple(one for one in gold if one in ours - theirs),
        only_second=tuple(one for one in gold if one in theirs - ours),
    )


def evidence_found(record: Record) -> set[str]:
    """Return the messages that a run was given for a question."""
    return {message for item in record.retrieved for message in item.source}


def _score(run: ScoredRun, query_id: str, score: str) -> float | None:
    scores = run.scores.get(query_id)
    found = None if scores is None else scores.value(score)
    return None if found is None else float(found)
