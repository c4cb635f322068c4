"""A log of your own: the file, its messages with their places, and what a format has to provide."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from remem.intake import Account
from remem.time_scope import TimePoint
from remem.types import Episode, Message

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file (or folder) that was read, before its format is known.

    `document` is the parsed JSON of a .json file, else None. `day_first` is the order of day and
    month that the user named; None lets the file decide.
    """

    path: Path
    text: str = ""
    document: Any = None
    day_first: bool | None = None

    def lines(self) -> list[tuple[str, str]]:
        """Return each line of the text with its place, such as "diary.txt:5"."""
        lines = _LINE_END.split(self.text)
        return [(f"{self.path}:{number}", line) for number, line in enumerate(lines, start=1)]


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A message, the session it belongs to ("" if it has none), and where the file has it."""

    message: Message
    place: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The messages that a format found, those without text included, and what it had to guess."""

    messages: tuple[LogMessage, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read: its format, its messages in the order of the file, and the guesses.

    `account` says how many messages were left out because they have no text.
    """

    path: Path
    format: str
    messages: tuple[LogMessage, ...]
    account: Account
    notes: tuple[str, ...] = ()


class LogFormat(Protocol):
    """A kind of log, such as a WhatsApp export."""

    @property
    def name(self) -> str:
        """Return what people call this kind of log."""
        ...

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file is of this kind."""
        ...

    def read(self, file: LogFile) -> Reading:
        """Read the messages; raise ValueError, with the place, for what cannot be read."""
        ...


def message_at(
    place: str,
    speaker: str,
    text: str,
    time: TimePoint | None = None,
    date: str = "",
    *,
    session: str = "",
) -> LogMessage:
    """Build a message that has no id yet."""
    return LogMessage(Message("", speaker, text, time, date), place, session)


def in_sessions(unsorted: Sequence[LogMessage]) -> tuple[LogMessage, ...]:
    """Give each message without a session the day it was said; undated ones join the previous."""
    day = ""
    placed = []
    for item in unsorted:
        day = _day(item.message.time) or day
        placed.append(item if item.session else replace(item, session=day))
    return tuple(placed)


def numbered(log_messages: Sequence[LogMessage], *, after: int = 0) -> list[Episode]:
    """Group messages that follow each other into sessions; number them from `after` + 1."""
    numbers = iter(range(after + 1, after + len(log_messages) + 1))
    episodes = []
    for _, group in groupby(log_messages, key=lambda item: item.session):
        messages = tuple(replace(item.message, id=f"m{next(numbers)}") for item in group)
        episodes.append(Episode(f"s{messages[0].id[1:]}", messages))
    return episodes


def _day(time: TimePoint | None) -> str:
    return str(time)[:10] if time else ""
