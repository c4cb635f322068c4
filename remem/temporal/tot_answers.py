"""Answer the templated Test of Time questions from the retrieved facts.

A fact holds at a time t if start <= t <= end. The neighbour before an anchor is the fact that ends
last among the facts that end no later than the anchor starts. The neighbour after an anchor is the
fact that starts first among the facts that start no earlier than the anchor ends. Occurrences are
numbered by start. If two facts tie, the smaller entity number is used, so that the answer depends
only on the set of facts.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from remem.temporal.statements import Statement, Triple, matching, open_entity
from remem.temporal.tot_questions import (
    AtEvent,
    AtYear,
    CountBetween,
    Duration,
    FirstLast,
    Neighbour,
    Timeline,
    ToTQuestion,
    WhenEdge,
)


def answer_tot(
    question: ToTQuestion, facts: Iterable[Statement], count: int | None = None
) -> str | None:
    """Return the answer, in the format of the dataset's gold answers; None if no fact gives one.

    Args:
        question: The parsed question.
        facts: The retrieved facts in any order, possibly repeated or irrelevant.
        count: The result of a count tool, for a CountBetween question.
    """
    seen = sorted(set(facts), key=_by_start)
    match question:
        case AtYear(target, year):
            return _first_asked(target, _holding(matching(target, seen), year))
        case AtEvent(target, anchor):
            anchors = matching(anchor, seen)
            held = _holding(matching(target, seen), _start(anchors[0])) if anchors else []
            return _first_asked(target, held)
        case WhenEdge(target, edge):
            matches = matching(target, seen)
            return (
                str(_start(matches[0]) if edge == "start" else _end(matches[0]))
                if matches
                else None
            )
        case CountBetween(target, first_year, last_year):
            return _count(target, seen, first_year, last_year) if count is None else str(count)
        case Neighbour():
            return _neighbour(question, matching(question.target, seen))
        case FirstLast(target, rank):
            held = matching(target, seen)
            best = held[:1] if rank == "first" else sorted(held, key=_by_end_descending)[:1]
            return open_entity(target, best[0]) if best else None
        case Duration(target, ordinal):
            occurrences = matching(target, seen)
            if not 1 <= ordinal <= len(occurrences):
                return None
            return str(_end(occurrences[ordinal - 1]) - _start(occurrences[ordinal - 1]))
        case Timeline(target, sort_by):
            held = matching(target, seen)
            ordered = held if sort_by == "start" else sorted(held, key=_by_end)
            return ",".join(dict.fromkeys(open_entity(target, fact) for fact in ordered)) or None


def _count(target: Triple, facts: Sequence[Statement], first_year: int, last_year: int) -> str:
    overlapping = (
        fact
        for fact in matching(target, facts)
        if _start(fact) <= last_year and _end(fact) >= first_year
    )
    return str(len({open_entity(target, fact) for fact in overlapping}))


def _neighbour(question: Neighbour, held: Sequence[Statement]) -> str | None:
    anchor = next(
        (fact for fact in held if open_entity(question.target, fact) == question.anchor), None
    )
    if anchor is None:
        return None
    others = [fact for fact in held if open_entity(question.target, fact) != question.anchor]
    if question.side == "before":
        before = [fact for fact in others if _end(fact) <= _start(anchor)]
        return open_entity(question.target, min(before, key=_by_end_descending)) if before else None
    after = [fact for fact in others if _start(fact) >= _end(anchor)]
    return open_entity(question.target, after[0]) if after else None


def _holding(facts: Iterable[Statement], year: int) -> list[Statement]:
    return [fact for fact in facts if _start(fact) <= year <= _end(fact)]


def _first_asked(target: Triple, facts: Sequence[Statement]) -> str | None:
    return min((open_entity(target, fact) for fact in facts), key=_number, default=None)


def _start(fact: Statement) -> int:
    return fact.start.year


def _end(fact: Statement) -> int:
    return fact.end.year


@lru_cache(maxsize=1_000)  # Test of Time has 198 labels
def _number(label: str) -> tuple[int, str]:
    digits = label[1:]
    return (int(digits) if digits.isdecimal() else 0, label)


def _by_start(fact: Statement) -> tuple[object, ...]:
    return _start(fact), _end(fact), _number(fact.subject), _number(fact.object), fact.predicate


def _by_end(fact: Statement) -> tuple[object, ...]:
    return _end(fact), _start(fact), _number(fact.subject), _number(fact.object)


def _by_end_descending(fact: Statement) -> tuple[object, ...]:
    return -_end(fact), -_start(fact), _number(fact.subject), _number(fact.object)
