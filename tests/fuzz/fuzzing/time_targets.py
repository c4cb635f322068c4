"""Fuzz the parsers of dates, relative dates, time scopes, and templated questions and facts."""

from random import Random

from fuzzing.harness import Target
from fuzzing.mutation import FRAGMENTS, STRINGS, long_text, some_text

from remem.memory.extraction_replies import StatedFact, UnreadableDateError, fact_scope, gist_scope
from remem.readers.answer_lines import parse_lines
from remem.readers.extractive import answer_span
from remem.readers.quoting import SentenceFinder
from remem.temporal.dates import find_dates, format_point, parse_point
from remem.temporal.scopes import ScopeTable, TimeFilter
from remem.temporal.templates import answer_question, parse_question, parse_statement
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope
from remem.types import Message

PARTS = (
    *("1", "2", "12", "31", "99", "00", "2023", "1999", "0000", "9999", "May", "Sept.", "February"),
    *("-", "/", ".", ",", " ", "  ", ":", "T", "Z", "at", "on", "am", "p.m.", "st", "th", "of"),
    *("to", "summer", "winter", "early", "end of", "Q2", "first week of", "before", "around", "s"),
    *("13:56", "1:56 pm", "24:60", "12:00:59.5", "+00:00", "UTC", "EST", "BC", "%", "km", "'s"),
)
TIMES = (
    *(None, TimePoint(1), TimePoint(9999, 12, 31, 1439), TimePoint(2024, 2, 29), TimePoint(2023)),
    *(TimePoint(2023, 5), TimePoint(2023, 5, 8, 836), TimePoint(1, 1, 1), TimePoint(9999, 12, 31)),
)
OPERATORS = ("lt", "le", "eq", "ge", "gt")
STATEMENTS = (
    "E1 was the R2 of E3 from 1990 to 1995.",
    "Ann Li worked for Acme from May 1990 to June 1995.",
    "Ann lived in Kres from January 1000 to December 2999.",
    "E9 was the R1 of E2 from 1 to 9999.",
)
QUESTIONS = (
    "Where was Ann Li educated in May 1990?",
    "Who was the head of the government of Kres 2 years and 1 month before May 1990?",
    "Which team did Ann play for before he/she studied at Kres University?",
    "Which employer did Ann work for from May 1990 to June 1995?",
    "At what time did the entity E9 stop being the R1 of E2?",
    "Which entity was the first R3 of E2?",
    "How many unique entities were the R3 of E2 between 1990 and 1995?",
    "For how many years was E1 the R3 of E2 for the 2nd time?",
    "Which entity was the R3 of E2 immediately after E7 stopped being the R3 of E2?",
)


def text(*pieces: str) -> "object":
    def draw(rng: Random) -> str:
        if rng.random() < 0.03:
            return long_text(rng, pieces or FRAGMENTS)
        return some_text(rng, pieces or FRAGMENTS)

    return draw


def _dates(rng: Random) -> str:
    kind = rng.randrange(3)
    if kind == 0:
        return "".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 9)))
    pieces = PARTS if kind == 1 else (*PARTS, *FRAGMENTS, *STRINGS)
    return long_text(rng, pieces) if rng.random() < 0.03 else some_text(rng, pieces)


def read_dates(given: str) -> None:
    point = parse_point(given)
    if point is not None:
        assert parse_point(str(point)) is not None or point.year < 1000, given
        format_point(point)
    last = 0
    for start, end, found in find_dates(given):
        assert last <= start < end <= len(given), given
        last = end
        assert found.first_minute <= found.last_minute


def _relative(rng: Random) -> tuple[str, TimePoint | None]:
    return _dates(rng) if rng.random() < 0.2 else text()(rng), rng.choice(TIMES)


def read_times(given: tuple[str, TimePoint | None]) -> None:
    words, said = given
    last = 0
    for time in times_in(words, said):
        assert last <= time.start < time.end <= len(words)
        last = time.end
        assert words[time.start : time.end] == time.expression
        assert time.span is None or (time.span.phrase and str(time.scope))


def _point(rng: Random) -> TimePoint | None:
    return rng.choice(TIMES) if rng.random() < 0.5 else parse_point(_dates(rng))


def _scopes(rng: Random) -> tuple[list[tuple[TimePoint | None, ...]], TimeFilter, bool]:
    points = [tuple(_point(rng) for _ in range(3)) for _ in range(rng.randrange(4))]
    operators = rng.choice(OPERATORS), rng.choice(OPERATORS)
    return points, TimeFilter(_point(rng), _point(rng), *operators), rng.random() < 0.5


def read_scopes(given: tuple[list[tuple[TimePoint | None, ...]], TimeFilter, bool]) -> None:
    points, condition, keep = given
    scopes: list[TimeScope | None] = [None]
    for at, start, end in points:
        scopes.append(TimeScope(at) if at else TimeScope(start_time=start, end_time=end))
        str(scopes[-1])
    table = ScopeTable()
    table.add(scopes, [None, *(at or start or end for at, start, end in points)])
    for undated in ("record_time", "keep" if keep else "drop"):
        assert table.mask(condition, undated=undated).shape == (len(scopes),)
    for by_end in (True, False):
        assert table.order(by_end=by_end).shape == (len(scopes),)


def _stated(rng: Random) -> tuple[str, dict[str, str], TimePoint | None]:
    names = ("point_in_time", "start_time", "end_time", "record_time")
    times = {name: _dates(rng) for name in names if rng.random() < 0.5}
    prefix = f"[{_dates(rng)}] " if rng.random() < 0.5 else ""
    return prefix + text()(rng), times, rng.choice(TIMES)


def read_stated(given: tuple[str, dict[str, str], TimePoint | None]) -> None:
    gist, times, said = given
    found = gist_scope(gist, said)
    assert found is None or str(found)
    stated = StatedFact(subject="a", predicate="b", object="c", **_plain(times))
    str(fact_scope(stated))


def _plain(times: dict[str, str]) -> dict[str, str]:
    """Replace half surrogate pairs, which the extraction's own parser refuses."""
    return {name: one.encode("utf-8", "replace").decode() for name, one in times.items()}


TEMPLATED = (*QUESTIONS, *STATEMENTS)


def _templated(rng: Random) -> tuple[str, list[str]]:
    question = _changed(rng, rng.choice(QUESTIONS))
    return question, [_changed(rng, rng.choice(STATEMENTS)) for _ in range(3)]


def _changed(rng: Random, known: str) -> str:
    kind = rng.randrange(20)
    if kind == 0:
        return long_text(rng, (*FRAGMENTS, *TEMPLATED, *known.split()))
    if kind < 4:
        return some_text(rng, (*FRAGMENTS, *known.split()))
    words = known.split(" ")
    for _ in range(rng.randrange(4)):
        words[rng.randrange(len(words))] = rng.choice((*words, *FRAGMENTS, "May", "9999", "E1"))
    return " ".join(words)


def read_templated(given: tuple[str, list[str]]) -> None:
    asked, lines = given
    question = parse_question(asked)
    facts = [found for line in lines if (found := parse_statement(line))]
    if question is not None:
        answer_question(question, facts)
        answer_question(question, facts, 3)


def _lines(rng: Random) -> tuple[str, str]:
    pieces = ("[8 May 2023] Ann: ", "Date: 8 May 2023", "| ", "a | b | c | 2023", "\n[", *FRAGMENTS)
    lines = text(*pieces)(rng)
    return rng.choice((*QUESTIONS, "Who?", "When did Ann row?", "How long?", some_text(rng))), lines


def read_text_lines(given: tuple[str, str]) -> None:
    question, lines = given
    said = [line for line in lines.splitlines() if line.strip()]
    messages = [Message(str(at), "Ann", line) for at, line in enumerate(said)]
    quote = SentenceFinder(messages).best(question, messages)
    assert quote is None or quote.sentence in quote.message.text
    for line in parse_lines(lines):
        answer_span(question, line)


TARGETS = (
    Target("time: dates", _dates, read_dates, ()),
    Target("time: times in a text", _relative, read_times, ()),
    Target("time: scopes and filters", _scopes, read_scopes),
    Target("time: of gists and facts", _stated, read_stated, (UnreadableDateError,)),
    Target("time: templated questions", _templated, read_templated, ()),
    Target("time: lines of text", _lines, read_text_lines, ()),
)
