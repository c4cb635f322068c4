"""The readings of "first", "last", "before" and "after", which questions must not depend on.

A fact may be earlier than another by its start or by its end, and may touch it or not.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from remem.benchmarks.tot.facts import TemporalFact


def directly_before(anchor: TemporalFact, others: Sequence[TemporalFact]) -> str | None:
    """Return the entity directly before the anchor, or None if the readings disagree."""
    ended = [other for other in others if other.end < anchor.start]
    ended_or_met = [other for other in others if other.end <= anchor.start]
    readings = [
        latest(ended, end_of),
        latest(ended, start_of),
        latest(ended_or_met, end_of),
        latest(ended_or_met, start_of),
        latest([other for other in others if other.start < anchor.start], start_of),
        latest([other for other in others if other.start <= anchor.start], start_of),
        latest([other for other in others if other.end < anchor.end], end_of),
        latest([other for other in others if other.end <= anchor.end], end_of),
    ]
    agreed = set.union(*readings)
    return agreed.pop() if len(agreed) == 1 and all(readings) else None


def latest(facts: Sequence[TemporalFact], key: Callable[[TemporalFact], int]) -> set[str]:
    """Return the subjects of the facts with the largest key."""
    largest = max(map(key, facts), default=0)
    return {fact.subject for fact in facts if key(fact) == largest}


def mirror(fact: TemporalFact) -> TemporalFact:
    """Reverse the time of a fact, so that "after" becomes "before" and "first" becomes "last"."""
    return replace(fact, start=-fact.end, end=-fact.start)


def start_of(fact: TemporalFact) -> int:
    """Return the year in which a fact starts."""
    return fact.start


def end_of(fact: TemporalFact) -> int:
    """Return the year in which a fact ends."""
    return fact.end
