"""Draw Complex-TR questions of six levels whose answer is the same under all plausible readings.

The following rules come from the real data. A fact also holds in the months in which it starts and
ends. "Before" and "after" mean the immediate neighbour. A distance before an event counts from its
start, and a distance after an event counts from its end.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from remem.benchmarks.complex_tr.facts import LAST_MONTH, Subject, TimedFact
from remem.benchmarks.complex_tr.loader import Facts, Names, directly_before, in_order, mirror
from remem.benchmarks.complex_tr.wording import (
    wording,
    write_month,
    write_offset,
)

LEVELS = ("L2", "L2M", "L2H", "L3", "L3M", "L3H")
TRIES = 30
FIRST_MONTH = 1800 * 12
LONGEST_OFFSET = 35 * 12


@dataclass(frozen=True, slots=True)
class SampledQuestion:
    """A question, the relations named in its id, and its answers in order of time."""

    text: str
    relations: Names
    answers: Names


Propose = Callable[[Subject, np.random.Generator], SampledQuestion | None]


def draw_question(level: str, subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    """Draw a question of a level; return None if no good question is found for the subject."""
    propose = _proposer(level)
    proposals = (propose(subject, rng) for _ in range(TRIES))
    return next((proposal for proposal in proposals if proposal is not None), None)


def _proposer(level: str) -> Propose:
    match level:
        case "L2":
            return _in_a_month
        case "L2M":
            return _in_an_interval
        case "L2H":
            return _off_a_month
        case "L3":
            return _next_to_an_event
        case "L3M":
            return _during_an_event
        case "L3H":
            return _off_an_event
        case _:
            raise ValueError(f"level {level!r} is not one of {', '.join(LEVELS)}")


def _in_a_month(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    fact = _pick(_askable(subject), rng)
    if fact is None:
        return None
    month = _month_of(fact, rng)
    return _sample_question(fact, f"in {write_month(month)}", _holding(subject, fact, month, month))


def _in_an_interval(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    fact = _pick(_askable(subject, plural=True), rng)
    if fact is None:
        return None
    later = [f for f in _alike(subject, fact) if f.start > fact.start]
    other = _pick(sorted(later, key=lambda f: f.start)[:2], rng)
    if other is None:
        return None
    first, last = _month_of(fact, rng), _month_of(other, rng)
    names = _holding(subject, fact, first, last)
    if first >= last or len(names) == 1:
        return None
    return _sample_question(
        fact, f"from {write_month(first)} to {write_month(last)}", names, plural=True
    )


def _off_a_month(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    fact = _pick(_askable(subject), rng)
    if fact is None:
        return None
    month, offset = _month_of(fact, rng), _draw_offset(rng)
    side, given = ("after", month - offset) if rng.random() < 0.5 else ("before", month + offset)
    if not FIRST_MONTH <= given <= LAST_MONTH:
        return None
    when = f"{write_offset(offset)} {side} {write_month(given)}"
    return _sample_question(fact, when, _holding(subject, fact, month, month))


def _next_to_an_event(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    anchor, fact = _pick(_anchors(subject), rng), _pick(_askable(subject), rng)
    if anchor is None or fact is None:
        return None
    others = [f for f in _alike(subject, fact) if f is not anchor]
    if rng.random() < 0.5:
        side, names = "before", directly_before(anchor, others)
    else:
        side, names = "after", directly_before(mirror(anchor), [mirror(f) for f in others])
    if _is_named(anchor, fact, names):
        return None
    return _sample_question(fact, f"{side} {_event(anchor)}", names, anchor=anchor)


def _during_an_event(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    anchor, fact = _pick(_anchors(subject), rng), _pick(_askable(subject, plural=True), rng)
    if anchor is None or fact is None or anchor.relation == fact.relation:
        return None
    when = f"when {wording().anchors_of_when[anchor.relation].format(object=anchor.object)}"
    return _sample_question(
        fact, when, _holding(subject, fact, anchor.start, anchor.end), plural=True
    )


def _off_an_event(subject: Subject, rng: np.random.Generator) -> SampledQuestion | None:
    anchor, fact = _pick(_anchors(subject), rng), _pick(_askable(subject), rng)
    if anchor is None or fact is None:
        return None
    month = _month_of(fact, rng)
    names = _holding(subject, fact, month, month)
    if anchor.start <= month <= anchor.end or _is_named(anchor, fact, names):
        return None
    if month < anchor.start:
        when = f"{write_offset(anchor.start - month)} before {_event(anchor)}"
    else:
        when = f"{write_offset(month - anchor.end)} after {_event(anchor)}"
    return _sample_question(fact, when, names, anchor=anchor)


def _holding(subject: Subject, fact: TimedFact, first: int, last: int) -> Names:
    """Return the objects that the fact's relation has from `first` to `last`, in order of time."""
    return in_order([f for f in _alike(subject, fact) if f.start <= last and f.end >= first])


def _alike(subject: Subject, fact: TimedFact) -> list[TimedFact]:
    """Return the facts of the same relation, including the fact itself."""
    return [other for other in subject.facts if other.relation == fact.relation]


def _askable(subject: Subject, plural: bool = False) -> list[TimedFact]:
    """Return the facts that a question can ask for, except an ambiguous "the head of"."""
    relations = {
        relation
        for relation, asking in wording().asking.items()
        if asking.plural is not None or not plural
    }
    if any(fact.relation == "P35" for fact in subject.facts):
        relations.discard("P6")
    return [fact for fact in subject.facts if fact.relation in relations]


def _anchors(subject: Subject) -> list[TimedFact]:
    """Return the facts that a question can refer to, because no other fact has the same event."""
    events = [(fact.relation, fact.object) for fact in subject.facts]
    return [
        fact
        for fact, event in zip(subject.facts, events, strict=True)
        if fact.relation in wording().anchors and events.count(event) == 1
    ]


def _is_named(anchor: TimedFact, fact: TimedFact, names: Names) -> bool:
    """Return True if the question would contain one of its answers."""
    return fact.relation == anchor.relation and anchor.object in names


def _event(anchor: TimedFact) -> str:
    return wording().anchors[anchor.relation].format(object=anchor.object)


def _sample_question(
    fact: TimedFact,
    when: str,
    names: Names,
    *,
    plural: bool = False,
    anchor: TimedFact | None = None,
) -> SampledQuestion | None:
    """Return a question, or None if it has no answer; its relations include the anchor's."""
    if not names:
        return None
    asking = wording().asking[fact.relation]
    opening = asking.plural if plural and asking.plural else asking.singular
    relations = (fact.relation,) if anchor is None else (fact.relation, anchor.relation)
    return SampledQuestion(f"{opening.format(subject=fact.subject)} {when}?", relations, names)


def _month_of(fact: TimedFact, rng: np.random.Generator) -> int:
    """Draw a month in which the fact holds; the first and the last month are the most likely."""
    chance = rng.random()
    if chance < 0.3:
        return fact.start if chance < 0.15 else fact.end
    return int(rng.integers(fact.start, fact.end, endpoint=True))


def _draw_offset(rng: np.random.Generator) -> int:
    """Draw a distance in months; some are whole years, some less than a year."""
    chance = rng.random()
    if chance < 0.1:
        return 12 * int(rng.integers(1, LONGEST_OFFSET // 12))
    return int(rng.integers(1, 12 if chance < 0.2 else LONGEST_OFFSET))


def _pick(facts: Facts, rng: np.random.Generator) -> TimedFact | None:
    return facts[int(rng.integers(len(facts)))] if facts else None
