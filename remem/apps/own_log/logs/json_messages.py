"""Messages as JSON objects: a .jsonl file with one a line, or a .json file with a list of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from remem.apps.own_log.logs.day_order import decide_order
from remem.apps.own_log.logs.instants import read_instant, required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.apps.own_log.logs.stamps import Stamp, find_stamp
from remem.benchmarks.json_files import checked, parse_json

JSON, JSON_LINES = ".json", ".jsonl"
TEXT, SPEAKER = ("text", "content", "message", "body"), ("speaker", "role", "author", "from")
DATE = ("date", "time", "timestamp", "datetime", "created_at")
SESSION = ("session", "session_id")
FIX_LINE = "fix the line or remove it"

Place = tuple[Any, str]
"""A record and where the file has it."""


class JsonLines:
    """Reads a file of JSON Lines."""

    name = "JSON Lines"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the name of the file says so."""
        return file.path.suffix.lower() == JSON_LINES

    def read(self, file: LogFile) -> Reading:
        """Read a message from each line."""
        return _reading(file, json_lines(file))


class JsonMessages:
    """Reads a JSON list of messages, or an object with such a list under "messages"."""

    name = "JSON messages"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file is JSON; ask the formats of known programs first."""
        return file.path.suffix.lower() == JSON

    def read(self, file: LogFile) -> Reading:
        """Read a message from each object of the list."""
        whole = file.document
        listed = whole.get("messages") if isinstance(whole, dict) else whole
        if not isinstance(listed, list):
            raise ValueError(
                f"{file.path} is neither a list of messages nor an object with a list of 'messages'"
            )
        numbers = enumerate(listed, start=1)
        return _reading(
            file, ((record, f"{file.path}, message {number}") for number, record in numbers)
        )


def json_lines(file: LogFile) -> Iterator[Place]:
    """Yield the values of a file of JSON Lines, each with its place."""
    for number, line in enumerate(file.text.encode().splitlines(), start=1):
        if line.strip():
            place = f"{file.path}:{number}"
            yield parse_json(line, place, FIX_LINE), place


def string(record: Any, keys: Sequence[str], where: str) -> str:
    """Return the first of some keys that a record has, a text; "" if it has none."""
    return (_first_text(record, keys, where) or "").strip()


def _reading(file: LogFile, records: Iterator[Place]) -> Reading:
    with_text: list[Place] = []
    empty: list[LogMessage] = []
    for record, where in records:
        if _has_text(record, where):
            with_text.append((record, where))
        else:
            empty.append(message_at(where, "", ""))
    stamps = {where: stamp for record, where in with_text if (stamp := _stamp(record))}
    order = decide_order(tuple(stamps.values()), file.day_first)
    log_messages = [
        _message(record, where, stamps.get(where), order.day_first) for record, where in with_text
    ]
    return Reading((*log_messages, *empty), (order.note,) if order.note else ())


def _has_text(record: Any, where: str) -> bool:
    text = _first_text(record, TEXT, where)
    if text is None:
        raise ValueError(f"{where} has no text, expected one of {', '.join(TEXT)}")
    return bool(text.strip())


def _message(record: Any, where: str, stamp: Stamp | None, day_first: bool) -> LogMessage:
    stated = _stated(record)
    point = stamp.point(day_first=day_first) if stamp else None
    return message_at(
        where,
        string(record, SPEAKER, where),
        _first_text(record, TEXT, where) or "",
        point or required_instant(stated, where),
        "" if stated is None else str(stated),
        session=string(record, SESSION, where),
    )


def _stamp(record: Mapping[str, Any]) -> Stamp | None:
    """Return a date that only the whole file decides, such as "04/02/2024 18:05"."""
    stated = _stated(record)
    if not isinstance(stated, str) or read_instant(stated) is not None:
        return None
    stamp = find_stamp(stated.strip())
    return stamp if stamp and stamp.end == len(stated.strip()) else None


def _stated(record: Mapping[str, Any]) -> object:
    return next((record[key] for key in DATE if record.get(key) is not None), None)


def _first_text(record: Any, keys: Sequence[str], where: str) -> str | None:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {type(record).__name__}, expected an object with a message")
    key = next((key for key in keys if record.get(key) is not None), None)
    return None if key is None else checked(record[key], str, f"{key!r} of {where}")
