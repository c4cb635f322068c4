"""The possible readings of "before", "after" and "in order", which labels must not depend on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from remem.benchmarks.complex_tr.facts import TimedFact

Names = tuple[str, ...]
Facts = Sequence[TimedFact]


def directly_before(anchor: TimedFact, others: Facts) -> Names:
    """Return the objects of the fact directly before, or () if the readings disagree."""
    ended = [other for other in others if other.end <= anchor.start]
    readings = (
        _latest(ended, _end_of),
        _latest(ended, _start_of),
        _latest([other for other in others if other.start < anchor.start], _start_of),
        _latest([other for other in others if other.end < anchor.end], _end_of),
    )
    agreed = set.union(*readings)
    return tuple(agreed) if len(agreed) == 1 and all(readings) else ()


def mirror(fact: TimedFact) -> TimedFact:
    """Reverse the time of a fact, so that "after" becomes "before"."""
    return replace(fact, start=-fact.end, end=-fact.start)


def in_order(facts: Facts) -> Names:
    """Return the objects by their first start, or () if two start together."""
    starts: dict[str, int] = {}
    for fact in sorted(facts, key=lambda fact: fact.start):
        starts.setdefault(fact.object, fact.start)
    return tuple(starts) if len(set(starts.values())) == len(starts) else ()


def _latest(facts: Facts, key: Callable[[TimedFact], int]) -> set[str]:
    largest = max(map(key, facts), default=0)
    return {fact.object for fact in facts if key(fact) == largest}


def _start_of(fact: TimedFact) -> int:
    return fact.start


def _end_of(fact: TimedFact) -> int:
    return fact.end
