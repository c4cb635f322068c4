"""Messages as JSON objects: one per line in a .jsonl file, or a list of them in a .json file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from remem.apps.own_log.logs.day_order import DayOrder, decide_order
from remem.apps.own_log.logs.instants import read_instant
from remem.apps.own_log.logs.json_values import (
    file_names,
    first_string,
    joined,
    members,
    parts_text,
    quoted,
)
from remem.apps.own_log.logs.log import (
    LeftOutError,
    LogFile,
    LogMessage,
    Reading,
    message_at,
    read_records,
)
from remem.apps.own_log.logs.stamps import Stamp, find_stamp
from remem.apps.own_log.logs.words import texts_besides
from remem.files.json_text import parse_json

JSON, JSON_LINES = ".json", ".jsonl"
TEXT = ("text", "content", "message", "body")
SPEAKER = (
    *("speaker", "author", "from", "sender", "sender_name", "senderName", "name", "user", "role"),
)
NAME = ("name", "nickname", "display_name", "username", "role")
DATE = ("date", "time", "timestamp", "datetime", "created_at", "create_time", "sent_at")
SESSION = ("session", "session_id")
LISTS = ("messages", "conversations", "chats", "conversation", "turns")
FIX_LINE = "fix the line or remove it"
_DEEPEST = 4

Place = tuple[Any, str]
"""A record and where the file has it."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A record, its place, and the session or chat that the file puts it in."""

    record: Any
    place: str
    session: str = ""
    chat: str = ""


class JsonLines:
    """Reads a file of JSON Lines: a message, or a conversation, on each line."""

    name = "JSON Lines"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file name ends in .jsonl."""
        return file.path.suffix.lower() == JSON_LINES

    def read(self, file: LogFile) -> Reading:
        """Read the messages of all lines; leave out lines that are not JSON."""
        records, source = list[_Placed](), list[tuple[str, Any]]()
        for line, place in _lines(file):
            try:
                value = parse_json(line, place, FIX_LINE, keep_surrogates=True)
            except ValueError:
                value = line.decode("utf-8", "surrogatepass")
            source.append((place, value))
            is_conversation = isinstance(value, list) or _inner(value) is not None
            records += _placed(value, place, place if is_conversation else "")
        return _reading(file, records, tuple(source))


class JsonMessages:
    """Reads a JSON list of messages or of conversations, or an object with such a list."""

    name = "JSON messages"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file name ends in .json; `read_log` tries the known programs first."""
        return file.path.suffix.lower() == JSON

    def read(self, file: LogFile) -> Reading:
        """Read a message from each object in the list."""
        whole = file.document
        if not isinstance(whole, list) and _inner(whole) is None:
            raise ValueError(
                f"{file.path} is neither a list of messages nor an object with a list of 'messages'"
            )
        placed = list(_placed(whole, str(file.path), ""))
        return _reading(file, placed, ((str(file.path), whole),))


def json_lines(file: LogFile) -> Iterator[Place]:
    """Yield each value of a JSON Lines file with the place of its line."""
    for line, place in _lines(file):
        yield parse_json(line, place, FIX_LINE), place


def _lines(file: LogFile) -> Iterator[tuple[bytes, str]]:
    lines = enumerate(file.text.encode("utf-8", "surrogatepass").splitlines(), start=1)
    return ((line, f"{file.path}:{number}") for number, line in lines if line.strip())


def _inner(value: Any) -> list[Any] | None:
    """Return the list of messages or conversations that an object contains; None if it has none."""
    lists = (members(value).get(key) for key in LISTS)
    return next((each for each in lists if isinstance(each, list)), None)


def _placed(value: Any, place: str, session: str, depth: int = 0) -> Iterator[_Placed]:
    """Yield the messages of a list; a conversation in the list becomes a session of its own."""
    inner = value if isinstance(value, list) else _inner(value)
    if inner is None or depth > _DEEPEST or first_string(members(value), *TEXT):
        yield _Placed(value, place, session)
        return
    title = first_string(members(value), "title", "name", *SESSION)
    named = f"{session}: {title}" if session and title else session
    for number, item in enumerate(inner, start=1):
        if isinstance(item, list) or _inner(item) is not None:
            at = f"{place}, conversation {number}"
            yield from _placed(item, at, at, depth + 1)
        else:
            chat = "" if session else title
            yield _Placed(item, f"{place}, message {number}", named, chat)


def _reading(file: LogFile, placed: list[_Placed], source: tuple[tuple[str, Any], ...]) -> Reading:
    stamps = {each.place: stamp for each in placed if (stamp := _stamp(members(each.record)))}
    order = decide_order(tuple(stamps.items()), file.day_first)
    records = [
        record
        for each in placed
        for record in read_records(
            [(each.record, each.place)],
            partial(_message, of=each, stamp=stamps.get(each.place), order=order),
        )
    ]
    return Reading(tuple(records), source, (order.note,) if order.note else ())


def _message(
    record: dict[str, Any], place: str, *, of: _Placed, stamp: Stamp | None, order: DayOrder
) -> LogMessage:
    key = next((key for key in TEXT if record.get(key) not in (None, "")), "")
    text = parts_text(record.get(key)).strip()
    if not key and not any(each in record for each in TEXT):
        raise LeftOutError(f"they have none of the keys for the text ({', '.join(TEXT)})")
    speakers = (record.get(key) for key in SPEAKER)
    named = (members(each) or {"name": each} for each in speakers)
    stated = _stated(record)
    session = next((str(record[key]) for key in SESSION if _is_name(record.get(key))), of.session)
    return message_at(
        place,
        next(filter(None, (first_string(each, *NAME) for each in named)), ""),
        joined(
            text,
            *texts_besides(record.get("tool_calls"), text),
            *quoted(record, text),
            *file_names(record, "attachments", "files"),
        ),
        order.point(stamp) if stamp else read_instant(stated),
        "" if stated is None else str(stated),
        session=session.strip(),
        chat=of.chat,
    )


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and value not in ("", True, False)


def _stamp(record: Mapping[str, Any]) -> Stamp | None:
    """Return a date such as "04/02/2024 18:05", whose day order depends on the entire file."""
    stated = _stated(record)
    if not isinstance(stated, str) or read_instant(stated) is not None:
        return None
    stamp = find_stamp(stated.strip())
    return stamp if stamp and stamp.end == len(stated.strip()) else None


def _stated(record: Mapping[str, Any]) -> object:
    return next((record[key] for key in DATE if record.get(key) not in (None, "")), None)
