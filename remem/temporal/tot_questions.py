"""The eight question types of Test of Time, parsed from their wording.

The patterns are the wordings of the dataset. If a question matches no pattern, the result is None
instead of a guess.
"""

import re
from dataclasses import dataclass
from typing import Literal

from remem.temporal.statements import Triple

ENTITY = r"E\d+"
WHICH = r"which (?:one of the )?entit(?:y|ies)"
_TRIPLE = re.compile(rf"({ENTITY}) (?:was |being |started being )?the (R\d+) of ({ENTITY})")
_HELD_BY = re.compile(rf"the (?:first |last )?(R\d+) of ({ENTITY})")
_TARGET = re.compile(rf"(?:({ENTITY}) was|was|were) the (R\d+) of (?:({ENTITY})|{WHICH})", re.I)
_ANCHOR = re.compile(
    rf"(?:start time of|the time (?:when|that)|when) "
    rf"({ENTITY}) (?:being|started being|was) the (R\d+) of ({ENTITY})",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(?:between|from) (?:year )?(\d{1,4}) (?:to|and) (?:year )?(\d{1,4})", re.I)
_EDGE = re.compile(r"At what time did .*?\b(start|stop|end)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?<!\d)(\d{1,9})(?:st|nd|rd|th) time", re.IGNORECASE)
_NEIGHBOUR = re.compile(rf"immediately (before|after) ({ENTITY})", re.IGNORECASE)
_RANK = re.compile(r"\b(first|last)\b", re.IGNORECASE)
_SORT_KEY = re.compile(r"\b(start|end)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:in|at|during) (?:the )?(?:year )?(\d{4})\b", re.IGNORECASE)
_NAME = re.compile(r"\b(?:[ER]\d+|\d{3,4})\b")


@dataclass(frozen=True, slots=True)
class AtYear:
    """The entity that is in a relation in a given year (event_at_time_t)."""

    target: Triple
    year: int


@dataclass(frozen=True, slots=True)
class AtEvent:
    """The entity in a relation when another event starts (event_at_the_time_of_another_event)."""

    target: Triple
    anchor: Triple


@dataclass(frozen=True, slots=True)
class WhenEdge:
    """The year in which a relation starts or stops (event_at_what_time)."""

    target: Triple
    edge: Literal["start", "stop"]


@dataclass(frozen=True, slots=True)
class CountBetween:
    """The number of distinct entities in a closed interval (number_of_events_in_time_interval)."""

    target: Triple
    first_year: int
    last_year: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The entity directly before or after the anchor entity (before_after)."""

    target: Triple
    anchor: str
    side: Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class FirstLast:
    """The first or last entity in a relation (first_last)."""

    target: Triple
    rank: Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Duration:
    """The length of the n-th occurrence of a relation, in years (relation_duration)."""

    target: Triple
    ordinal: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """All entities in a relation, in the order of their starts or ends (timeline)."""

    target: Triple
    sort_by: Literal["start", "end"]


ToTQuestion = (
    AtYear | AtEvent | WhenEdge | CountBetween | Neighbour | FirstLast | Duration | Timeline
)


def parse_tot_question(text: str) -> ToTQuestion | None:
    """Parse a Test of Time question; return None if its wording is unknown.

    >>> parse_tot_question("At what time did the entity E9 stop being the R1 of E2?")
    WhenEdge(target=Triple(subject='E9', relation='R1', object='E2'), edge='stop')
    """
    plain = re.sub(rf"(?:the )?\bentity ({ENTITY})", r"\1", " ".join(text.split()))
    for parse in (
        _duration,
        _count,
        _when_edge,
        _neighbour,
        _timeline,
        _at_event,
        _first_last,
        _at_year,
    ):
        question = parse(plain)
        if question is not None:
            return question if _names(plain) <= _names(str(question)) else None
    return None


def _names(text: str) -> set[str]:
    """Return the entities, relations and years in a text, to check that parsing has lost none."""
    return set(_NAME.findall(text))


def _duration(text: str) -> Duration | None:
    ordinal, triple = _ORDINAL.search(text), _TRIPLE.search(text)
    if "how many years" not in text.lower() or ordinal is None or triple is None:
        return None
    return Duration(Triple(*triple.groups()), int(ordinal[1]))


def _count(text: str) -> CountBetween | None:
    span, target = _SPAN.search(text), _held_by(text)
    if "unique entities" not in text.lower() or span is None or target is None:
        return None
    return CountBetween(target, int(span[1]), int(span[2]))


def _when_edge(text: str) -> WhenEdge | None:
    edge, triple = _EDGE.search(text), _TRIPLE.search(text.replace(" start being", " being"))
    if edge is None:
        return None
    triple = triple or re.search(rf"({ENTITY}) (?:stop|end) being the (R\d+) of ({ENTITY})", text)
    if triple is None:
        return None
    return WhenEdge(Triple(*triple.groups()), "start" if edge[1].lower() == "start" else "stop")


def _neighbour(text: str) -> Neighbour | None:
    neighbour, target = _NEIGHBOUR.search(text), _held_by(text)
    if neighbour is None or target is None:
        return None
    return Neighbour(
        target, neighbour[2], "before" if neighbour[1].lower() == "before" else "after"
    )


def _timeline(text: str) -> Timeline | None:
    target, key = _held_by(text), _SORT_KEY.search(text)
    if "list" not in text.lower() or target is None or key is None:
        return None
    return Timeline(target, "end" if key[1].lower() == "end" else "start")


def _at_event(text: str) -> AtEvent | None:
    anchor = _ANCHOR.search(text)
    if anchor is None:
        return None
    target = _target(text[: anchor.start()] + text[anchor.end() :])
    return AtEvent(target, Triple(*anchor.groups())) if target else None


def _first_last(text: str) -> FirstLast | None:
    rank, target = _RANK.search(text), _held_by(text)
    if rank is None or target is None:
        return None
    return FirstLast(target, "first" if rank[1].lower() == "first" else "last")


def _at_year(text: str) -> AtYear | None:
    year, target = _YEAR.search(text), _target(text)
    return AtYear(target, int(year[1])) if year and target else None


def _held_by(text: str) -> Triple | None:
    held = _HELD_BY.search(text)
    return Triple(None, held[1], held[2]) if held else None


def _target(text: str) -> Triple | None:
    match = _TARGET.search(text)
    if match is None or (match[1] is None) == (match[3] is None):
        return None
    return Triple(*match.groups())
