"""A second, literal solver of the Test of Time questions: the reference for labels and planners.

It shares nothing with the generator or with remem.temporal: its patterns spell out every wording in
full, and it answers by walking through the years one at a time.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

E, R, Y = r"E\d+", r"R\d+", r"\d+"


class Line(NamedTuple):
    who: str
    what: str
    whom: str
    start: int
    end: int

    @property
    def years(self) -> range:
        return range(self.start, self.end + 1)


def solve(question: str, facts: list[str]) -> str | None:
    """Return the answer that the facts alone give to a question, in the form of a label.

    For whole graphs, every question has exactly one answer. For reduced graphs:

    - without an answer, or without the anchor (the fact that a question refers to), the result is
      None; for a count it is "0", and a timeline holds what remains (None if nothing does);
    - of several holders at a time, the one with the smallest entity number is the answer;
    - of an anchor with several intervals, the one with the earliest start counts;
    - "before": of the facts of the same relation and object that end up to the anchor's start, the
      one with the latest end (then the latest start, then the smallest entity number);
    - "after": of those that start from the anchor's end on, the one with the earliest start (then
      the earliest end, then the smallest entity number);
    - "first": the smallest start (then the smallest end, then the smallest entity number);
    - "last": the largest end (then the largest start, then the smallest entity number).

    An unknown wording raises ValueError.
    """
    lines = sorted({_read_line(fact) for fact in facts}, key=lambda line: _number(line.who))
    for pattern, answer in WORDINGS:
        match = re.fullmatch(pattern, question)
        if match:
            return answer(match.groupdict(), lines)
    raise ValueError(f"no wording of Test of Time: {question!r}")


def _read_line(fact: str) -> Line:
    who, _was, _the, what, _of, whom, _from, start, _to, end = fact.removesuffix(".").split(" ")
    return Line(who, what, whom, int(start), int(end))


def _number(entity: str) -> int:
    return int(entity[1:])


Asked = dict[str, str]


def _who_in_year(asked: Asked, lines: list[Line]) -> str | None:
    holders = [
        line.who
        for line in lines
        if line.what == asked["r"] and line.whom == asked["e"] and int(asked["year"]) in line.years
    ]
    return min(holders, key=_number, default=None)


def _whom_in_year(asked: Asked, lines: list[Line]) -> str | None:
    held = [
        line.whom
        for line in lines
        if line.what == asked["r"] and line.who == asked["e"] and int(asked["year"]) in line.years
    ]
    return min(held, key=_number, default=None)


def _triple(who: str, what: str, whom: str, lines: list[Line]) -> list[Line]:
    found = [line for line in lines if (line.who, line.what, line.whom) == (who, what, whom)]
    return sorted(found, key=lambda line: (line.start, line.end))


def _started(asked: Asked, lines: list[Line]) -> str | None:
    found = _triple(asked["e1"], asked["r"], asked["e2"], lines)
    return str(found[0].start) if found else None


def _stopped(asked: Asked, lines: list[Line]) -> str | None:
    found = _triple(asked["e1"], asked["r"], asked["e2"], lines)
    return str(found[0].end) if found else None


def _how_many(asked: Asked, lines: list[Line]) -> str | None:
    counted = set()
    for year in range(int(asked["a"]), int(asked["b"]) + 1):
        for line in lines:
            if line.what == asked["r"] and line.whom == asked["e"] and year in line.years:
                counted.add(line.who)
    return str(len(counted))


def _group(asked: Asked, lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.what == asked["r"] and line.whom == asked["e"]]


def _span(lines: list[Line]) -> range:
    return range(min(line.start for line in lines), max(line.end for line in lines) + 1)


def _directly_before(asked: Asked, lines: list[Line]) -> str | None:
    group = _group(asked, lines)
    anchors = _triple(asked["anchor"], asked["r"], asked["e"], lines)
    if not anchors:
        return None
    for year in reversed(range(_span(group).start, anchors[0].start + 1)):
        ended = [line for line in group if line.end == year and line.who != asked["anchor"]]
        if ended:
            return min(ended, key=lambda line: (-line.start, _number(line.who))).who
    return None


def _directly_after(asked: Asked, lines: list[Line]) -> str | None:
    group = _group(asked, lines)
    anchors = _triple(asked["anchor"], asked["r"], asked["e"], lines)
    if not anchors:
        return None
    for year in range(anchors[0].end, _span(group).stop):
        began = [line for line in group if line.start == year and line.who != asked["anchor"]]
        if began:
            return min(began, key=lambda line: (line.end, _number(line.who))).who
    return None


def _at_start_of_event(
    answer: Callable[[Asked, list[Line]], str | None],
) -> Callable[[Asked, list[Line]], str | None]:
    def look_up(asked: Asked, lines: list[Line]) -> str | None:
        anchors = _triple(asked["a1"], asked["ar"], asked["a2"], lines)
        return answer(asked | {"year": str(anchors[0].start)}, lines) if anchors else None

    return look_up


def _first(asked: Asked, lines: list[Line]) -> str | None:
    group = _group(asked, lines)
    for year in _span(group) if group else ():
        began = [line for line in group if line.start == year]
        if began:
            return min(began, key=lambda line: (line.end, _number(line.who))).who
    return None


def _last(asked: Asked, lines: list[Line]) -> str | None:
    group = _group(asked, lines)
    for year in reversed(_span(group)) if group else ():
        ended = [line for line in group if line.end == year]
        if ended:
            return min(ended, key=lambda line: (-line.start, _number(line.who))).who
    return None


def _how_long(asked: Asked, lines: list[Line]) -> str | None:
    found = _triple(asked["e1"], asked["r"], asked["e2"], lines)
    nth = int(asked["nth"])
    if len(found) < nth:
        return None
    return str(len(found[nth - 1].years) - 1)


def _in_order_of_start(asked: Asked, lines: list[Line]) -> str | None:
    group = sorted(_group(asked, lines), key=lambda x: (x.start, x.end, _number(x.who)))
    return ",".join(dict.fromkeys(line.who for line in group)) or None


def _in_order_of_end(asked: Asked, lines: list[Line]) -> str | None:
    group = sorted(_group(asked, lines), key=lambda x: (x.end, x.start, _number(x.who)))
    return ",".join(dict.fromkeys(line.who for line in group)) or None


ANCHOR = f"(?P<a1>{E}) (?:being|started being) the (?P<ar>{R}) of (?P<a2>{E})"
HELD = f"the (?P<r>{R}) of (?P<e>{E})"
TRIPLE = f"(?P<e1>{E}) being the (?P<r>{R}) of (?P<e2>{E})"
WHO_THEN = rf"which entity was {HELD}\?"
COUNTED = (
    r"[Rr]elations that ended in (?P=a) or started in (?P=b) (?:must be counted as well|should "
    r"also be counted)\."
)
NTH = r"(?P<nth>\d)(?:st|nd|rd|th)"
SUBTRACT = r"The duration can be computed by subtracting the start time from the end time\."
BETWEEN = f"(?P<a>{Y}) to (?P<b>{Y})"

NEIGHBOURS = [
    (pattern.replace("SIDE", side), answer)
    for side, answer in (("before", _directly_before), ("after", _directly_after))
    for pattern in (
        rf"Which entity was the (?P<r>{R}) of (?:the entity )?(?P<e>{E}) immediately SIDE "
        rf"(?P<anchor>{E})\?",
        rf"Find the entity that was {HELD} immediately SIDE (?P<anchor>{E}) was the (?P=r) of "
        r"(?P=e)\.",
        rf"Immediately SIDE (?P<anchor>{E}), which entity was {HELD}\?",
    )
]
EXTREMES = [
    (pattern.replace("RANK", rank), answer)
    for rank, answer in (("first", _first), ("last", _last))
    for pattern in (
        rf"Identify the entity that was the RANK (?P<r>{R}) of entity (?P<e>{E})\.",
        rf"Which entity has been the RANK (?P<r>{R}) of (?P<e>{E})\?",
        rf"Which entity was the RANK that was {HELD}\?",
    )
]
TIMELINES = [
    (pattern.replace("KEY", key), answer)
    for key, answer in (("start", _in_order_of_start), ("end", _in_order_of_end))
    for pattern in (
        rf"Which entities were {HELD}\? Provide a comma-separated list sorted by KEY time from "
        r"lowest to highest\.",
        rf"Give me a comma-separated list of all entities that were {HELD} in the order of KEY "
        r"time from lowest to highest\.",
        rf"Find all entities that were {HELD} and list them separated by commas\. Sort by KEY time "
        r"ascending\.",
    )
]
WORDINGS: list[tuple[str, Callable[[Asked, list[Line]], str | None]]] = [
    (rf"Which entity was {HELD} in (?P<year>{Y})\?", _who_in_year),
    (rf"Find the entity that evidently was {HELD} in year (?P<year>{Y})\.", _who_in_year),
    (rf"In (?P<year>{Y}), (?P<e>{E}) was the (?P<r>{R}) of which entity\?", _whom_in_year),
    (
        rf"(?P<e>{E}) was the (?P<r>{R}) of which one of the entities in (?P<year>{Y})\?",
        _whom_in_year,
    ),
    (rf"At what time did (?:the entity )?{TRIPLE.replace(' being', ' start being')}\?", _started),
    (rf"At what time did (?:the entity )?{TRIPLE.replace(' being', ' stop being')}\?", _stopped),
    (
        rf"Find the number of unique entities that were {HELD} between {BETWEEN}\. {COUNTED}",
        _how_many,
    ),
    (rf"Between {BETWEEN}, how many unique entities where {HELD}\? {COUNTED}", _how_many),
    (
        rf"How many unique entities were {HELD} between {BETWEEN}\? Note: {COUNTED}",
        _how_many,
    ),
    *NEIGHBOURS,
    (rf"At the start time of {ANCHOR}, {WHO_THEN}", _at_start_of_event(_who_in_year)),
    (rf"When {ANCHOR}, {WHO_THEN}", _at_start_of_event(_who_in_year)),
    (
        rf"(?P<e>{E}) was the (?P<r>{R}) of which entity at the time when {ANCHOR}\?",
        _at_start_of_event(_whom_in_year),
    ),
    *EXTREMES,
    (
        rf"For how many years did it last when {TRIPLE.replace(' being', ' was')} for the {NTH} "
        rf"time\? {SUBTRACT}",
        _how_long,
    ),
    (
        rf"The {NTH} time it happened, for how many years was (?P<e1>{E}) the (?P<r>{R}) of "
        rf"(?P<e2>{E})\?",
        _how_long,
    ),
    *TIMELINES,
]
