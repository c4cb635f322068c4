"""Types for logs: the file, its messages and where they are, and the interface of a format."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from remem.intake import Account
from remem.time_scope import TimePoint
from remem.types import Episode, Message

_LINE_END = re.compile(r"\r\n|\n|\r")
NO_TEXT = "they have no text"
OTHER_BRANCHES = "they are in other branches of a conversation; --all-branches reads them"


@dataclass(frozen=True, slots=True)
class LogFile:
    """The content of a file (or folder) whose format is not known yet.

    `document` is the parsed JSON of a .json file, else None. `day_first` is the order of day and
    month that the user chose; if it is None, the dates of the file decide. `all_branches` says
    whether to also read answers in a conversation that were later replaced.
    """

    path: Path
    text: str = ""
    document: Any = None
    day_first: bool | None = None
    all_branches: bool = False

    def lines(self) -> list[tuple[str, str]]:
        """Return each line of the text with its place, such as "diary.txt:5"."""
        lines = _LINE_END.split(self.text)
        return [(f"{self.path}:{number}", line) for number, line in enumerate(lines, start=1)]


@dataclass(frozen=True, slots=True)
class LogMessage:
    """A message with its place in the file, and with the session or chat that it belongs to.

    `session` and `chat` are "" if the file does not state them. Messages of a chat without sessions
    belong to one session per day.
    """

    message: Message
    place: str
    session: str = ""
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read from a file: its message or, in `left_out`, why it was left out.

    `source` is the record in the parsed JSON; None for a text file. `besides` has words that were
    read but are not in the message, such as the id of a user who is shown by name.
    """

    message: LogMessage
    source: Any = None
    left_out: str = ""
    besides: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The records that a format found in a file, and notes on what it had to guess.

    `source` has pairs of a place and its content: a line of text, or parsed JSON. `notes` says what
    was guessed. `besides` has the words of a text file that were read as dates or marks. `unread`
    has the JSON keys whose values are not part of the chat.
    """

    records: tuple[Record, ...]
    source: tuple[tuple[str, Any], ...]
    notes: tuple[str, ...] = ()
    besides: str = ""
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Log:
    """A log after reading: its format, its messages in the order of the file, and notes.

    `accounts` says how many messages and words were left out or repaired, and why. `notes` says
    what was guessed.
    """

    path: Path
    format: str
    messages: tuple[LogMessage, ...]
    accounts: tuple[Account, ...]
    notes: tuple[str, ...] = ()


class LeftOutError(ValueError):
    """Raised if a record is not a message; its text is a reason such as "they have no text"."""


class LogFormat(Protocol):
    """A kind of log, such as a WhatsApp export."""

    @property
    def name(self) -> str:
        """Return the common name of this kind of log."""
        ...

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file is of this kind."""
        ...

    def read(self, file: LogFile) -> Reading:
        """Read the records; if the file contradicts itself, raise a ValueError that says where."""
        ...


def message_at(
    place: str,
    speaker: str,
    text: str,
    time: TimePoint | None = None,
    date: str = "",
    *,
    session: str = "",
    chat: str = "",
) -> LogMessage:
    """Return a message with its place in the file, but without an id."""
    return LogMessage(Message("", speaker, text, time, date), place, session, chat)


def text_reading(
    file: LogFile, messages: Iterable[LogMessage], besides: Iterable[str], *notes: str
) -> Reading:
    """Return the `Reading` of a text file, with all its lines as the source."""
    records = tuple(map(Record, messages))
    return Reading(records, tuple(file.lines()), tuple(filter(None, notes)), " ".join(besides))


def read_records(
    placed: Iterable[tuple[Any, str]], read: Callable[[dict[str, Any], str], LogMessage]
) -> Iterator[Record]:
    """Yield a `Record` for each item: with its message, or with the reason to leave it out."""
    for record, place in placed:
        try:
            if not isinstance(record, dict):
                raise LeftOutError("they are not JSON objects")
            yield Record(read(record, place), record)
        except LeftOutError as reason:
            yield Record(message_at(place, "", ""), record, str(reason))


def in_sessions(unsorted: Sequence[LogMessage]) -> tuple[LogMessage, ...]:
    """Assign each message without a session to a session for its chat and day.

    An undated message belongs to the day of the message before it.
    """
    day = ""
    placed = []
    for item in unsorted:
        day = _day(item.message.time) or day
        session = item.session or f"{item.chat} {day}".strip()
        placed.append(replace(item, session=session))
    return tuple(placed)


def numbered(log_messages: Sequence[LogMessage], *, after: int = 0) -> list[Episode]:
    """Group consecutive messages of the same session into episodes; ids start at `after` + 1."""
    numbers = iter(range(after + 1, after + len(log_messages) + 1))
    episodes = []
    for _, group in groupby(log_messages, key=lambda item: item.session):
        messages = tuple(replace(item.message, id=f"m{next(numbers)}") for item in group)
        episodes.append(Episode(f"s{messages[0].id[1:]}", messages))
    return episodes


def _day(time: TimePoint | None) -> str:
    return str(time)[:10] if time else ""
