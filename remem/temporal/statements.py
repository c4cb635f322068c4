"""The event statements of Test of Time and Complex-TR, and how a triple selects among them.

Test of Time: "E1 was the R2 of E3 from 1990 to 1995." Complex-TR: "Ann Li worked for Acme from May
1990 to June 1995." Names are kept unchanged. Each dataset has a fixed list of relations.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from remem.temporal.dates import MONTHS, month_number
from remem.time_scope import TimePoint
from remem.types import Fact

SMALL_WORDS = frozenset({"and", "the"})
_PARENTHESIS = re.compile(r"\([^()]*\)")


def resolve_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name refers to, or None if that is not certain.

    This is the name itself if it is known, and otherwise the known name that agrees with it, if
    there is exactly one.

    >>> resolve_name("Unity (1994)", ["Unity", "Unity (2013)", "Progress"])
    'Unity'
    """
    names = set(known)
    if name in names:
        return name
    alike = [other for other in names if _agree(name, other)]
    return alike[0] if len(alike) == 1 else None


def _agree(name: str, other: str) -> bool:
    if _words(name) == _words(other):
        return True
    bare, other_bare = _PARENTHESIS.sub(" ", name), _PARENTHESIS.sub(" ", other)
    one_has_a_parenthesis = (bare == name) != (other_bare == other)
    return one_has_a_parenthesis and _words(bare) == _words(other_bare)


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.casefold())) - SMALL_WORDS or frozenset({name})


MONTH = rf"(?:{'|'.join(MONTHS)}) [12]\d{{3}}"
"""A month as Complex-TR writes it."""

_TOT = re.compile(
    r"(E\d+) was the (R\d+) of (E\d+) from ([1-9]\d{0,3}) to ([1-9]\d{0,3})\.?", re.ASCII
)
_COMPLEX_TR_RELATIONS = (
    "studied at",
    "worked for",
    "played for",
    "held the position of",
    "was a member of the",
    "received",
    "was married to",
    "lived in",
    "was owned by",
    "was the head coach of",
    "was the chair of",
    "was the head of the government of",
    "was the head of the state of",
)
_COMPLEX_TR = re.compile(
    rf"(.+?) ({'|'.join(_COMPLEX_TR_RELATIONS)}) (.+) from ({MONTH}) to ({MONTH})\.?"
)


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation between two entities; None marks the entity that the question asks for."""

    subject: str | None
    relation: str
    object: str | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between two entities, and the time in which it held, with both ends included."""

    subject: str
    predicate: str
    object: str
    start: TimePoint
    end: TimePoint


def parse_tot_statement(line: str) -> Statement | None:
    """Parse a line as a statement; return None for other text, or if the end is before the start.

    >>> parse_tot_statement("E1 was the R2 of E3 from 1990 to 1995.").end.year
    1995
    """
    match = _TOT.fullmatch(line.strip())
    if match is None or int(match[4]) > int(match[5]):
        return None
    start, end = TimePoint(int(match[4])), TimePoint(int(match[5]))
    return Statement(match[1], match[2], match[3], start, end)


def parse_complex_tr_statement(line: str) -> Statement | None:
    """Parse a line as a statement; return None for other text, or if the end is before the start.

    >>> parse_complex_tr_statement("Ann Li worked for Acme from May 1990 to June 1995.").object
    'Acme'
    """
    match = _COMPLEX_TR.fullmatch(line.strip())
    if match is None:
        return None
    start, end = read_month(match[4]), read_month(match[5])
    if start.first_minute > end.first_minute:
        return None
    return Statement(match[1], match[2], match[3], start, end)


def read_month(text: str) -> TimePoint:
    """Parse a month that matches `MONTH`."""
    name, year = text.split()
    return TimePoint(int(year), month_number(name))


def statements_of(facts: Iterable[Fact]) -> list[Statement]:
    """Return the statements of the facts that have both a start and an end."""
    return [
        Statement(fact.subject, fact.predicate, fact.object, fact.time.start, fact.time.end)
        for fact in facts
        if fact.time is not None and fact.time.start is not None and fact.time.end is not None
    ]


def matching(target: Triple, facts: Iterable[Statement]) -> list[Statement]:
    """Return the facts that agree with the triple in the relation and in the given entity."""
    return [
        fact
        for fact in facts
        if target.subject in (None, fact.subject)
        and target.relation == fact.predicate
        and target.object in (None, fact.object)
    ]


def open_entity(target: Triple, fact: Statement) -> str:
    """Return the entity of the fact in the position that the triple leaves open."""
    return fact.subject if target.subject is None else fact.object
