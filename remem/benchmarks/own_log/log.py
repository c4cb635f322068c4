"""A log of one's own as messages and sessions: JSON, JSON Lines or plain text.

A message is an object with a text ("text" or "content"), and as the log has them a speaker
("speaker", "role" or "author"), a date ("date", "time" or "timestamp") and a "session". Plain text
has a line for each message and lines "Date: ..." between them.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from remem.benchmarks.json_fields import checked
from remem.benchmarks.json_files import check_size, parse_json
from remem.benchmarks.own_log.text import read_lines
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint
from remem.types import Episode, Message

TEXT, SPEAKER = ("text", "content"), ("speaker", "role", "author")
DATE, SESSION = ("date", "time", "timestamp"), ("session", "session_id")
JSON_LINES = ".jsonl"
MEND_LINE = "fix the line or remove it"
MEND_JSON = f"fix it there; a file with one message per line must end in {JSON_LINES}"

Told = tuple[str, Message]
"""A message with the name of its session."""


def read_log(path: Path) -> list[Told]:
    """Read the messages of a log, in its order, each with the name of its session.

    Messages without a session are one session a day, and what is undated belongs to what goes
    before it.

    Raises:
        ValueError: The file is empty, or a message lacks its text or has a date that is none.
    """
    read = _messages_of_json if path.suffix in (JSON_LINES, ".json") else _messages_of_text
    found = list(read(path))
    if not found:
        raise ValueError(f"{path} has no messages, expected at least one")
    return found


def numbered(found: Sequence[Told], *, after: int = 0) -> list[Episode]:
    """Make sessions of messages that follow each other; number them m1, m2, ... after `after`."""
    numbers = iter(range(after + 1, after + len(found) + 1))
    episodes = []
    for _, group in groupby(found, key=lambda one: one[0]):
        messages = tuple(
            Message(f"m{next(numbers)}", one.speaker, one.text, one.time, one.date)
            for _, one in group
        )
        episodes.append(Episode(f"s{messages[0].id[1:]}", messages))
    return episodes


def _messages_of_text(path: Path) -> Iterator[Told]:
    try:
        text = read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error.reason} at {error.start})") from error
    for message in read_lines(text):
        yield _day(message.time), message


def _messages_of_json(path: Path) -> Iterator[Told]:
    day = ""
    for record, where in _json_records(path):
        text = _first(record, TEXT, where)
        if text is None:
            raise ValueError(f"{where} has no text, expected one of {', '.join(TEXT)}")
        message = Message("", string(record, SPEAKER, where), text, *_dated(record, where))
        if not text.strip():
            continue
        day = _day(message.time) or day
        yield string(record, SESSION, where) or day, message


def _json_records(path: Path) -> Iterator[tuple[Any, str]]:
    if path.suffix == JSON_LINES:
        yield from json_lines(path)
        return
    whole = parse_json(read_content(path), str(path), MEND_JSON)
    listed = whole.get("messages") if isinstance(whole, dict) else whole
    if not isinstance(listed, list):
        raise ValueError(
            f"{path} is neither a list of messages nor an object with a list of 'messages'"
        )
    for number, record in enumerate(listed, start=1):
        yield record, f"{path}, message {number}"


def json_lines(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the values of a file of JSON Lines, each with its place."""
    for number, line in enumerate(read_content(path).splitlines(), start=1):
        if line.strip():
            yield parse_json(line, f"{path}:{number}", MEND_LINE), f"{path}:{number}"


def read_content(path: Path) -> bytes:
    """Read a file of a plausible size."""
    if not path.is_file():
        raise FileNotFoundError(
            f"no such file: {str(path)!r} (relative to {Path.cwd()}); examples/own_log/README.md "
            f"lists the accepted formats"
        )
    check_size(path.stat().st_size, str(path))
    return path.read_bytes()


def _dated(record: Mapping[str, Any], where: str) -> tuple[TimePoint | None, str]:
    """Return the date of a message, parsed and as it is written; a number is seconds since 1970."""
    stated = next((record[key] for key in DATE if record.get(key) is not None), None)
    if stated is None or stated == "":
        return None, ""
    point = _point(stated)
    if point is None:
        raise ValueError(
            f"{where} is dated {str(stated)[:60]!r}, expected a date such as '2023-05-08', "
            "'2023-05-08T13:56', '8 May 2023, 1:56 pm', or seconds since 1970"
        )
    return point, str(stated)


def _point(stated: object) -> TimePoint | None:
    try:
        if isinstance(stated, int | float) and not isinstance(stated, bool):
            return TimePoint.from_datetime(datetime.fromtimestamp(stated, UTC))
        text = str(stated)
        return parse_point(text) or TimePoint.from_datetime(datetime.fromisoformat(text))
    except (ValueError, OverflowError, OSError):
        return None


def _day(time: TimePoint | None) -> str:
    return str(time)[:10] if time else ""


def _first(record: Any, keys: Sequence[str], where: str) -> str | None:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {type(record).__name__}, expected an object with a message")
    key = next((key for key in keys if record.get(key) is not None), None)
    return None if key is None else checked(record[key], str, f"{key!r} of {where}")


def string(record: Any, keys: Sequence[str], where: str) -> str:
    """Return the first of some keys that a record has, a text; "" if it has none."""
    return (_first(record, keys, where) or "").strip()
