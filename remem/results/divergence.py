"""Find where two runs diverge on a question."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from remem.results.run_names import RunNames
from remem.types import Record, StepRecord


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference between two runs; `step` counts from 1, None if no step differs."""

    step: int | None
    what: str


def parting(first: Record, second: Record, names: RunNames) -> Divergence:
    """Return the first step in which two runs differ, or how they differ if all steps are equal.

    Steps are compared only if both runs have steps, because some memories never have any.

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


def evidence_found(record: Record) -> set[str]:
    """Return the ids of the source messages of the items retrieved for a question."""
    return {message for item in record.retrieved for message in item.source}
