"""A second, literal solver of the Complex-TR questions: the reference for labels and planners.

It shares nothing with the generator or with remem.temporal: its patterns spell out every wording
by itself, and it answers by walking through the months one at a time.
"""

import re
from functools import cache
from typing import NamedTuple

MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
MONTH = rf"(?:{'|'.join(MONTHS)}) \d{{4}}"


class Line(NamedTuple):
    relation: str
    about: str
    answer: str
    start: int
    end: int

    @property
    def months(self) -> range:
        return range(self.start, self.end + 1)


SUBJECT_FIRST = {
    "studied at": "studied",
    "worked for": "worked",
    "played for": "played",
    "held the position of": "held",
    "was a member of the": "member",
    "received": "received",
    "was married to": "married",
    "lived in": "lived",
    " in": "in",  # a relation that lost its verb: "Ann  in Rome from ..."
    "was owned by": "owned",
}
SUBJECT_LAST = {
    "was the head coach of": "coach",
    "was the chair of": "chair",
    "was the head of the government of": "government",
    "was the head of the state of": "state",
}

# (what asks in the singular, what asks in the plural, the relation)
OPENINGS = [
    (r"Where was (?P<s>.+?) educated", r"Where were (?P<s>.+?) educated", "studied"),
    (
        r"Which employer did (?P<s>.+?) work for",
        r"Which employers did (?P<s>.+?) work for",
        "worked",
    ),
    (r"Which team did (?P<s>.+?) play for", r"Which teams did (?P<s>.+?) play for", "played"),
    (r"Which position did (?P<s>.+?) hold", r"Which positions did (?P<s>.+?) hold", "held"),
    (
        r"Which political party did (?P<s>.+?) belong to",
        r"Which political parties did (?P<s>.+?) belong to",
        "member",
    ),
    (r"Which award did (?P<s>.+?) receive", r"Which awards did (?P<s>.+?) receive", "received"),
    (r"Who was the spouse of (?P<s>.+?)", r"Who were the spouses of (?P<s>.+?)", "married"),
    (r"Who was the head coach of (?P<s>.+?)", r"Who were the head coaches of (?P<s>.+?)", "coach"),
    (r"Who was the chair of (?P<s>.+?)", r"Who were the chairs of (?P<s>.+?)", "chair"),
    (r"Who was the owner of (?P<s>.+?)", r"Who were the owners of (?P<s>.+?)", "owned"),
    (r"Who was the head of (?P<s>.+?)", r"Who were the heads of (?P<s>.+?)", "government"),
]
ANCHORS = [
    (r"he/she studied at (?P<x>.+)", "studied"),
    (r"he/she (?:was )?worked for (?P<x>.+)", "worked"),
    (r"he/she was playing for (?P<x>.+)", "played"),
    (r"he/she held the position of (?P<x>.+)", "held"),
    (r"he/she was the member of (?P<x>.+)", "member"),
    (r"he/she received (?P<x>.+)", "received"),
    (r"he/she was married to (?P<x>.+)", "married"),
    (r"(?P<x>.+) was the headcoach", "coach"),
    (r"(?P<x>.+) was the chairperson", "chair"),
]
OFFSET = r"(?:(?P<years>\d+) years)?(?: and )?(?:(?P<months>\d+) months)?"


WHEN = (
    rf"(?:in {MONTH}|from {MONTH} to {MONTH}|when .+|"
    r"(?:\d+ (?:years|months).*? )?(?:before|after) .+)"
)


def solve(question: str, facts: list[str]) -> list[str] | None:
    """Return the answers that the facts alone give to a question, or None if there are none.

    Each answer is named once; answers are sorted by their first start, then end, then name. A fact
    holds in every month from its first to its last. The anchor is the fact that a question refers
    to; if the anchor is missing, the answer is None, and if it occurs several times, its earliest
    occurrence counts.

    - "before" an anchor: of the facts of the asked relation that end up to the anchor's start, the
      one with the latest end (then the latest start, then the first name); never the anchor itself.
    - "after" an anchor: of those that start from the anchor's end on, the one with the earliest
      start (then the earliest end, then the first name); never the anchor itself.
    - "k months before" counts from the anchor's start, "k months after" from its end.

    A question or a fact in any other wording raises ValueError.
    """
    lines = [_read_line(fact) for fact in facts]
    for singular, plural, relation in OPENINGS:
        for opening in (singular, plural):
            match = re.fullmatch(rf"{opening} (?P<when>{WHEN})\?", question)
            if match:
                own = [line for line in lines if line.about == match["s"]]
                found = _answers(match["when"], [f for f in own if f.relation == relation], own)
                return found or None
    raise ValueError(f"no wording of Complex-TR: {question!r}")


@cache
def _read_line(fact: str) -> Line:
    match = re.fullmatch(rf"(.+) from ({MONTH}) to ({MONTH})\.", fact)
    if match is None:
        raise ValueError(f"no fact of Complex-TR: {fact!r}")
    stated, start, end = match[1], _count(match[2]), _count(match[3])
    for words, relation in SUBJECT_LAST.items():
        left, found, right = stated.partition(f" {words} ")
        if found:
            return Line(relation, right, left, start, end)
    for words, relation in SUBJECT_FIRST.items():
        left, found, right = stated.partition(f" {words} ")
        if found:
            return Line(relation, left, right, start, end)
    raise ValueError(f"no relation of Complex-TR: {fact!r}")


def _count(month: str) -> int:
    name, year = month.split(" ")
    return int(year) * 12 + MONTHS.index(name)


def _answers(when: str, asked: list[Line], own: list[Line]) -> list[str]:
    match = re.fullmatch(rf"in ({MONTH})", when)
    if match:
        return _held(asked, _count(match[1]), _count(match[1]))
    match = re.fullmatch(rf"from ({MONTH}) to ({MONTH})", when)
    if match:
        return _held(asked, _count(match[1]), _count(match[2]))
    match = re.fullmatch(rf"{OFFSET} (before|after) ({MONTH})", when)
    if match:
        month = _step(_count(match[4]), _distance(match), match[3])
        return _held(asked, month, month)
    match = re.fullmatch(r"when (.+)", when)
    if match:
        anchor = _anchor(match[1], own)
        return _held(asked, anchor.start, anchor.end) if anchor else []
    match = re.fullmatch(r"(before|after) (.+)", when)
    if match:
        anchor = _anchor(match[2], own)
        return _neighbour(match[1], anchor, asked) if anchor else []
    match = re.fullmatch(rf"{OFFSET} (before|after) (.+)", when)
    assert match is not None
    anchor = _anchor(match[4], own)
    if anchor is None:
        return []
    edge = anchor.start if match[3] == "before" else anchor.end
    month = _step(edge, _distance(match), match[3])
    return _held(asked, month, month)


def _distance(match: re.Match[str]) -> int:
    return 12 * int(match["years"] or 0) + int(match["months"] or 0)


def _step(month: int, distance: int, side: str) -> int:
    for _ in range(distance):
        month += 1 if side == "after" else -1
    return month


def _held(asked: list[Line], first: int, last: int) -> list[str]:
    held = set()
    for month in range(first, last + 1):
        for line in asked:
            if month in line.months:
                held.add(line)
    return _named(sorted(held, key=lambda line: (line.start, line.end, line.answer)))


def _named(lines: list[Line]) -> list[str]:
    names: list[str] = []
    for line in lines:
        if line.answer not in names:
            names.append(line.answer)
    return names


def _anchor(event: str, own: list[Line]) -> Line | None:
    for pattern, relation in ANCHORS:
        match = re.fullmatch(pattern, event)
        if match:
            found = [f for f in own if f.relation == relation and f.answer == match["x"]]
            return min(found, key=lambda line: (line.start, line.end), default=None)
    raise ValueError(f"no event of Complex-TR: {event!r}")


def _neighbour(side: str, anchor: Line, asked: list[Line]) -> list[str]:
    others = [line for line in asked if line != anchor]
    if not others:
        return []
    if side == "before":
        earliest = min(line.end for line in others)
        for month in range(anchor.start, earliest - 1, -1):
            ended = [line for line in others if line.end == month]
            if ended:
                return [min(ended, key=lambda line: (-line.start, line.answer)).answer]
        return []
    latest = max(line.start for line in others)
    for month in range(anchor.end, latest + 1):
        began = [line for line in others if line.start == month]
        if began:
            return [min(began, key=lambda line: (line.end, line.answer)).answer]
    return []
