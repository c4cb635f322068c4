"""The six question levels of Complex-TR, parsed from their wording.

The patterns are the wordings of the dataset, including its slips ("he/she was worked for", "1
years"). If a question matches no pattern, the result is None instead of a guess. Names are kept
unchanged, including spaces.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from remem.temporal.statements import (
    MONTH,
    Statement,
    Triple,
    matching,
    open_entity,
    read_month,
    resolve_name,
)
from remem.time_scope import TimePoint

Side = Literal["before", "after"]

_GOVERNMENT = "was the head of the government of"
_STATE = "was the head of the state of"
_WHO = r"Who (?:was|were) the "
_OBJECT_ASKED = (
    (re.compile(r"Where (?:was|were) (.+) educated"), "studied at"),
    (re.compile(r"Where did (.+) live"), "lived in"),
    (re.compile(r"Which employers? did (.+) work for"), "worked for"),
    (re.compile(r"Which teams? did (.+) play for"), "played for"),
    (re.compile(r"Which positions? did (.+) hold"), "held the position of"),
    (re.compile(r"Which political part(?:y|ies) did (.+) belong to"), "was a member of the"),
    (re.compile(r"Which awards? did (.+) receive"), "received"),
    (re.compile(_WHO + r"spouses? of (.+)"), "was married to"),
    (re.compile(_WHO + r"owners? of (.+)"), "was owned by"),
)
_SUBJECT_ASKED = (
    (re.compile(_WHO + r"head coach(?:es)? of (.+)"), "was the head coach of"),
    (re.compile(_WHO + r"chairs? of (.+)"), "was the chair of"),
    (re.compile(_WHO + r"heads? of (?:the )?state of (.+)"), _STATE),
    (re.compile(_WHO + r"heads? of (?:(?:the )?government of )?(.+)"), _GOVERNMENT),
)
_DOINGS = (  # activities of the person in the question
    (re.compile(r"(?:studied|studying|educated) at"), "studied at"),
    (re.compile(r"(?:worked|working) for"), "worked for"),
    (re.compile(r"(?:played|playing) for"), "played for"),
    (re.compile(r"(?:held|holding) the position of"), "held the position of"),
    (re.compile(r"(?:the|a) member of"), "was a member of the"),
    (re.compile(r"received|receiving"), "received"),
    (re.compile(r"married to"), "was married to"),
    (re.compile(r"(?:lived|living) in"), "lived in"),
)
_ROLES = (  # roles in the organization in the question
    (re.compile(r"head ?coach"), "was the head coach of"),
    (re.compile(r"chair(?:person)?"), "was the chair of"),
    (re.compile(r"head of (?:the )?government"), _GOVERNMENT),
    (re.compile(r"head of (?:the )?state"), _STATE),
)


def _either(rows: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    return "|".join(pattern.pattern for pattern, _ in rows)


_OFFSET = r"(?P<offset>\d{1,3} (?:year|month)s?(?: and \d{1,2} months?)?)"
_EVENT = (
    rf"(?:he/she (?:was )?(?P<doing>{_either(_DOINGS)}) (?P<what>.+)"
    rf"|(?P<who>.+?)(?:'s term of | was the )(?P<role>{_either(_ROLES)}))"
)
_IN_MONTH = re.compile(rf"(?P<target>.+) in (?P<month>{MONTH})\?")
_FROM_TO = re.compile(rf"(?P<target>.+) from (?P<first>{MONTH}) to (?P<last>{MONTH})\?")
_FROM_MONTH = re.compile(rf"(?P<target>.+?) {_OFFSET} (?P<side>before|after) (?P<month>{MONTH})\?")
_FROM_EVENT = re.compile(rf"(?P<target>.+?) {_OFFSET} (?P<side>before|after) {_EVENT}\?")
_NEXT_TO = re.compile(rf"(?P<target>.+?) (?P<side>before|after) {_EVENT}\?")
_WHILE = re.compile(rf"(?P<target>.+?) (?:when|while) {_EVENT}\?")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The event that a condition names: a fact that matches `held`, with `name` for its None."""

    held: Triple
    name: str


@dataclass(frozen=True, slots=True)
class InMonth:
    """The condition "in a month" (L2)."""

    month: TimePoint


@dataclass(frozen=True, slots=True)
class FromTo:
    """The condition "at any time from one month to another", both included (L2M)."""

    first: TimePoint
    last: TimePoint


@dataclass(frozen=True, slots=True)
class OffsetFromMonth:
    """The condition "a number of months before or after a month" (L2H)."""

    months: int
    side: Side
    month: TimePoint


@dataclass(frozen=True, slots=True)
class NextTo:
    """The condition "directly before or after an event" (L3)."""

    side: Side
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class While:
    """The condition "at any time during an event" (L3M)."""

    anchor: Anchor


@dataclass(frozen=True, slots=True)
class OffsetFromEvent:
    """The condition "a number of months before the start or after the end of an event" (L3H)."""

    months: int
    side: Side
    anchor: Anchor


Condition = InMonth | FromTo | OffsetFromMonth | NextTo | While | OffsetFromEvent


@dataclass(frozen=True, slots=True)
class ComplexTRQuestion:
    """A question that asks which entities have a relation to a given entity at a certain time."""

    target: Triple
    condition: Condition

    @property
    def anchor(self) -> Anchor | None:
        """Return the event that the condition refers to; None if it refers only to months."""
        if isinstance(self.condition, NextTo | While | OffsetFromEvent):
            return self.condition.anchor
        return None


def parse_complex_tr_question(text: str) -> ComplexTRQuestion | None:
    """Parse a Complex-TR question; return None if its wording is unknown.

    >>> parse_complex_tr_question("Where was Ann Li educated in May 1990?").target
    Triple(subject='Ann Li', relation='studied at', object=None)
    """
    for pattern, read in (
        (_IN_MONTH, _in_month),
        (_FROM_TO, _from_to),
        (_FROM_MONTH, _from_month),
        (_FROM_EVENT, _from_event),
        (_NEXT_TO, _next_to),
        (_WHILE, _while),
    ):
        match = pattern.fullmatch(text.strip())
        target = _target(match["target"]) if match else None
        if match and target:
            return ComplexTRQuestion(target, read(match, target))
    return None


def _target(text: str) -> Triple | None:
    for wording, relation in _OBJECT_ASKED:
        match = wording.fullmatch(text)
        if match:
            return Triple(match[1], relation, None)
    for wording, relation in _SUBJECT_ASKED:
        match = wording.fullmatch(text)
        if match:
            return Triple(None, relation, match[1])
    return None


def _in_month(match: re.Match[str], _target: Triple) -> InMonth:
    return InMonth(read_month(match["month"]))


def _from_to(match: re.Match[str], _target: Triple) -> FromTo:
    return FromTo(read_month(match["first"]), read_month(match["last"]))


def _from_month(match: re.Match[str], _target: Triple) -> OffsetFromMonth:
    return OffsetFromMonth(_months(match), _side(match), read_month(match["month"]))


def _from_event(match: re.Match[str], target: Triple) -> OffsetFromEvent:
    return OffsetFromEvent(_months(match), _side(match), _anchor(match, target))


def _next_to(match: re.Match[str], target: Triple) -> NextTo:
    return NextTo(_side(match), _anchor(match, target))


def _while(match: re.Match[str], target: Triple) -> While:
    return While(_anchor(match, target))


def _anchor(match: re.Match[str], target: Triple) -> Anchor:
    """Return the event of a condition.

    "he/she", and a role without "of", refer to the entity that the question names.
    """
    named = target.subject or target.object
    if match["doing"]:
        return Anchor(Triple(named, _relation(match["doing"], _DOINGS), None), match["what"])
    return Anchor(Triple(None, _relation(match["role"], _ROLES), named), match["who"])


def _relation(wording: str, rows: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    return next(relation for pattern, relation in rows if pattern.fullmatch(wording))


def _months(match: re.Match[str]) -> int:
    parts = re.findall(r"(\d+) (year|month)", match["offset"])
    return sum(int(number) * (12 if unit == "year" else 1) for number, unit in parts)


def _side(match: re.Match[str]) -> Side:
    return "before" if match["side"] == "before" else "after"


SEPARATOR = "; "
"""Separator of several answers, as in the released code."""


@dataclass(frozen=True, slots=True)
class Overlapping:
    """Facts that hold at any time between the months `first` and `last`, both included.

    Months are numbered from January of year 0.
    """

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LastBefore:
    """The fact that ends latest, of those that end in `month` or earlier."""

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
    """Convert a condition to month numbers; return None if it needs an event and has none."""
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
    """Return the facts that fulfil the condition: all that overlap, or the single nearest one."""
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
