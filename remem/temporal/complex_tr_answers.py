"""Answer templated Complex-TR questions from a collection of facts.

A fact holds in a month if start <= month <= end. The event before an anchor event has the latest
end that is not after the anchor's start; on a tie, the latest start wins. The event after it has
the earliest start that is not before the anchor's end; on a tie, the earliest end wins. An anchor
event that occurs several times counts at its first occurrence. Answers are in order of their start,
then by name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remem.temporal.complex_tr_questions import (
    Anchor,
    ComplexTRQuestion,
    Condition,
    FromTo,
    InMonth,
    NextTo,
    OffsetFromEvent,
    OffsetFromMonth,
    While,
)
from remem.temporal.statements import Statement, matching, open_entity, resolve_name
from remem.time_scope import TimePoint

SEPARATOR = "; "
"""Separator of several answers, as in the released code."""


@dataclass(frozen=True, slots=True)
class Overlapping:
    """Facts that hold at any time from `first` to `last`; months count from January of year 0."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LastBefore:
    """The fact that ends latest, of those that end by `month`."""

    month: int


@dataclass(frozen=True, slots=True)
class FirstAfter:
    """The fact that starts earliest, of those that start in `month` or later."""

    month: int


When = Overlapping | LastBefore | FirstAfter


def answer_complex_tr(question: ComplexTRQuestion, facts: Iterable[Statement]) -> str | None:
    """Return the matching entities joined with "; ", or None if no fact gives an answer.

    Args:
        question: The parsed question.
        facts: The facts in any order, possibly repeated or irrelevant.
    """
    seen = set(facts)
    event = find_event(question.anchor, seen) if question.anchor else None
    when = when_meant(question.condition, event)
    if when is None:
        return None
    held = [fact for fact in matching(question.target, seen) if fact != event]
    fitting = _fitting(when, sorted(held, key=lambda fact: open_entity(question.target, fact)))
    names = (open_entity(question.target, fact) for fact in sorted(fitting, key=_start))
    return SEPARATOR.join(dict.fromkeys(names)) or None


def find_event(anchor: Anchor, facts: Iterable[Statement]) -> Statement | None:
    """Return the event that the anchor names, or None if the facts do not contain it."""
    events = matching(anchor.held, facts)
    name = resolve_name(anchor.name, (open_entity(anchor.held, event) for event in events))
    named = [event for event in events if open_entity(anchor.held, event) == name]
    return min(named, key=lambda event: (_start(event), _end(event)), default=None)


def when_meant(condition: Condition, event: Statement | None) -> When | None:
    """Return the condition in months, or None if it needs an event that no fact has."""
    match condition, event:
        case InMonth(month), _:
            return Overlapping(_first_month(month), _last_month(month))
        case FromTo(first, last), _:
            return Overlapping(_first_month(first), _last_month(last))
        case OffsetFromMonth(months, side, month), _:
            return _at(_first_month(month) + (-months if side == "before" else months))
        case _, None:
            return None
        case NextTo("before"), Statement():
            return LastBefore(_start(event))
        case NextTo("after"), Statement():
            return FirstAfter(_end(event))
        case While(), Statement():
            return Overlapping(_start(event), _end(event))
        case OffsetFromEvent(months, "before"), Statement():
            return _at(_start(event) - months)
        case OffsetFromEvent(months), Statement():
            return _at(_end(event) + months)
    return None


def month_text(month: int) -> str:
    """Return a month count as "YYYY-MM", the format that the tools accept.

    >>> month_text(1990 * 12)
    '1990-01'
    """
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def _fitting(when: When, held: Sequence[Statement]) -> list[Statement]:
    """Return the facts that fulfil the condition; if several are equally good, take the first."""
    match when:
        case Overlapping(first, last):
            return [fact for fact in held if _start(fact) <= last and _end(fact) >= first]
        case LastBefore(month):
            before = [fact for fact in held if _end(fact) <= month]
            return [max(before, key=lambda fact: (_end(fact), _start(fact)))] if before else []
        case FirstAfter(month):
            after = [fact for fact in held if _start(fact) >= month]
            return [min(after, key=lambda fact: (_start(fact), _end(fact)))] if after else []


def _at(month: int) -> Overlapping:
    return Overlapping(month, month)


def _start(fact: Statement) -> int:
    return _first_month(fact.start)


def _end(fact: Statement) -> int:
    return _last_month(fact.end)


def _first_month(point: TimePoint) -> int:
    return point.year * 12 + (point.month or 1) - 1


def _last_month(point: TimePoint) -> int:
    return point.year * 12 + (point.month or 12) - 1
