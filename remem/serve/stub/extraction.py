"""Extractions of the stub: gists of a session, then facts from them (paper, Indexing).

With size "paper", the words of a session are cut into pieces, and repeated if there are too few,
until there are 27 gists of about 30 tokens and 28 facts. With size "plain", each message becomes
one gist and one fact.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remem.serve.stub.session import PromptSession, SessionLine
from remem.serve.stub.words import content_words
from remem.temporal.dates import find_dates, format_point
from remem.temporal.statements import parse_complex_tr_statement, parse_tot_statement

Size = Literal["plain", "paper"]

PAPER_GISTS = 27
PAPER_FACTS = 28
PIECE_WORDS = 18
"""Words of a gist; with the date and speaker before them, a gist has about 30 tokens."""
OBJECT_WORDS = 3
PARTS = ("subject", "predicate", "object")

_TOLD = re.compile(r"(?:\[[^\]]*\]\s*)?(?P<speaker>\S.{0,40}?) tells (?:.{1,40}?): (?P<words>.*)")
_DATES = re.compile(r"\s*\((?P<start>[^()]*?\b[12]\d{3})(?: to (?P<end>[^()]*\b[12]\d{3}))?\)")
_PREFIX = re.compile(r"\[[^\]]*\]\s*")


def gists(session: PromptSession, size: Size) -> list[str]:
    """Return the gists of a session."""
    if size == "plain" or not session.speakers or not session.lines:
        return [_gist(session, line, line.dated_text) for line in session.lines]
    return list(_pieces(session))


def facts(session: PromptSession, size: Size) -> list[dict[str, Any]]:
    """Return the facts in a session's event statements, or else facts made from its gists."""
    stated = [fact for line in session.lines if (fact := _stated(line))]
    if stated:
        return stated
    statements = session.gists or tuple(gists(session, "plain"))
    made = [_fact(session, gist, 0) for gist in statements]
    if size == "plain" or not session.speakers or not statements:
        return made
    first, *others = (*session.speakers, session.speakers[0])
    made.append(_triple(first, "talks with", others[0], record_time=session.date))
    turns = range(1, PAPER_FACTS // len(statements) + 1)
    more = [_fact(session, gist, turn) for turn in turns for gist in statements]
    return [*made, *more][:PAPER_FACTS]


def qualified(fact: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact with its times in a nested object, "qualifiers"."""
    times = {key: value for key, value in fact.items() if key not in PARTS}
    return {**{part: fact[part] for part in PARTS}, "qualifiers": times}


def _gist(session: PromptSession, line: SessionLine, text: str) -> str:
    date = f"[{format_point(line.said)}] " if line.said else ""
    if not line.speaker:
        return f"{date}{text}"
    others = [speaker for speaker in session.speakers if speaker != line.speaker]
    hearer = others[0] if len(others) == 1 else "the others"
    return f"{date}{line.speaker} tells {hearer}: {text}"


def _pieces(session: PromptSession) -> Iterator[str]:
    """Yield gists; each further gist of a message starts at a later word."""
    count = len(session.lines)
    for number in range(PAPER_GISTS):
        turn, at = divmod(number, count)
        following = [*session.lines[at:], *session.lines[:at]]
        words = [word for line in following for word in line.dated_text.split()]
        start = turn * PIECE_WORDS % len(words)
        piece = [*words[start:], *words][:PIECE_WORDS]
        yield _gist(session, session.lines[at], " ".join(piece))


def _stated(line: SessionLine) -> dict[str, Any] | None:
    """Return the fact of a templated statement; None if the line is not such a statement."""
    statement = parse_tot_statement(line.text) or parse_complex_tr_statement(line.text)
    if statement is None:
        return None
    start, end = format_point(statement.start), format_point(statement.end)
    return _triple(
        statement.subject, statement.predicate, statement.object, start_time=start, end_time=end
    )


def _fact(session: PromptSession, gist: str, turn: int) -> dict[str, Any]:
    """Make a fact from a gist; each `turn` uses a different part of the gist's words."""
    match = _TOLD.match(gist)
    text = match["words"] if match else _PREFIX.sub("", gist, count=1)
    words = content_words(_DATES.sub("", text)) or text.split() or ["nothing"]
    subject = match["speaker"] if match else words.pop(0)
    start = turn * OBJECT_WORDS % max(1, len(words))
    turned = [*words[start:], *words[:start]] or ["said so"]
    predicate, *rest = turned
    object_ = " ".join(rest[:OBJECT_WORDS]) or predicate
    return _triple(subject, predicate.lower(), object_, record_time=session.date, **_times(text))


def _times(text: str) -> dict[str, str]:
    match = _DATES.search(text)
    if match is None:
        stated = find_dates(text)
        return {"point_in_time": format_point(stated[0][2])} if len(stated) == 1 else {}
    if match["end"] is None:
        return {"point_in_time": match["start"]}
    return {"start_time": match["start"], "end_time": match["end"]}


def _triple(
    subject: str,
    predicate: str,
    object_: str,
    *,
    point_in_time: str | None = None,
    start_time: str | None = None,
    end_time: str | None = None,
    record_time: str | None = None,
) -> dict[str, Any]:
    return {
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "point_in_time": point_in_time,
        "start_time": start_time,
        "end_time": end_time,
        "record_time": record_time or None,
    }
