"""Parse the passage of an extraction prompt: dates, speakers, texts, and gists if given."""

import re
from dataclasses import dataclass

from remem.serve.stub.words import sentences
from remem.temporal.dates import format_point, parse_point
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope

_DATE = re.compile(r"(?:Date:\s*)(?P<date>.+)")
_SAID = re.compile(r"(?P<speaker>[^\W\d_][^:|\[\]]{0,39}?):\s+(?P<text>\S.*)")
_GISTS = re.compile(r"^Gists:\n", re.MULTILINE)
SHORTEST = 4
"""Minimum words of a message; shorter ones are greetings and thanks."""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A message or statement; `said` is the day when it was said."""

    said: TimePoint | None
    speaker: str
    text: str

    @property
    def dated_text(self) -> str:
        """Return the text with a date in parentheses after each relative time."""
        text = self.text
        for time in reversed(times_in(text, self.said)):
            if time.scope and not time.is_stated:
                text = f"{text[: time.end]} ({_in_words(time.scope)}){text[time.end :]}"
        return text


@dataclass(frozen=True, slots=True)
class PromptSession:
    """The session in an extraction prompt, without greetings, and its gists if given."""

    lines: tuple[SessionLine, ...]
    speakers: tuple[str, ...]
    gists: tuple[str, ...]

    @property
    def date(self) -> str:
        """Return the day of the session."""
        said_at = next((line.said for line in self.lines if line.said), None)
        return format_point(said_at) if said_at else ""


def read_session(text: str) -> PromptSession:
    """Parse the last message of an extraction prompt."""
    passage, *after = _GISTS.split(text, maxsplit=1)
    gists = [line[2:] for part in after for line in part.splitlines() if line.startswith("- ")]
    lines, said_at = [], None
    for line in filter(None, map(str.strip, passage.splitlines())):
        if dated := _DATE.fullmatch(line):
            said_at = _day(dated["date"])
        elif spoken := _SAID.fullmatch(line):
            lines.append(SessionLine(said_at, spoken["speaker"], spoken["text"]))
        else:
            lines.extend(SessionLine(said_at, "", sentence) for sentence in sentences(line))
    told_lines = [line for line in lines if not line.speaker or len(line.text.split()) >= SHORTEST]
    speakers = dict.fromkeys(line.speaker for line in lines if line.speaker)
    return PromptSession(tuple(told_lines or lines), tuple(speakers), tuple(gists))


def _day(date: str) -> TimePoint | None:
    point = parse_point(date)
    return TimePoint(point.year, point.month, point.day) if point else None


def _in_words(scope: TimeScope) -> str:
    """Return a scope in words: "14 June 2022", or "A to B"."""
    ends = dict.fromkeys(format_point(end) for end in (scope.start, scope.end) if end)
    return " to ".join(ends)
