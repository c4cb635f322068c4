"""Read the JSON of Facebook Messenger and Instagram, such as message_1.json of a chat."""

from functools import partial
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

from remem.apps.own_log.logs.instants import read_instant
from remem.apps.own_log.logs.json_values import (
    first_string,
    joined,
    listed,
    members,
    objects,
    parts_text,
    quoted,
)
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at, read_records
from remem.apps.own_log.logs.words import texts_besides

_MEDIA = ("photos", "videos", "audio_files", "gifs", "files")
_DEEPEST = 50
_UNREAD = frozenset({"participants", "magic_words", "joinable_mode", "bumped_message_metadata"})


class Messenger:
    """Reads messages from the oldest to the newest; the file has the newest first."""

    name = "Messenger export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has messages with `sender_name` and `timestamp_ms`."""
        messages = objects(members(file.document).get("messages"))
        return any("sender_name" in each and "timestamp_ms" in each for each in messages)

    def read(self, file: LogFile) -> Reading:
        """Read the messages; repair texts whose UTF-8 bytes were decoded as Latin-1."""
        document = members(_repaired(file.document))
        records = enumerate(listed(document.get("messages")), start=1)
        placed = [(each, f"{file.path}, message {at}") for at, each in records]
        read = partial(_message, chat=first_string(document, "title"))
        in_time = sorted(read_records(reversed(placed), read), key=lambda each: _time(each.source))
        return Reading(tuple(in_time), ((str(file.path), document),), unread=_UNREAD)


def _time(record: Any) -> float:
    stated = members(record).get("timestamp_ms")
    return stated if isinstance(stated, int | float) and isfinite(stated) else 0


def _repaired(value: Any, depth: int = 0) -> Any:
    """Return a value with all its texts repaired: "\u00e9" for "\u00c3\u00a9"."""
    if isinstance(value, str):
        try:
            return value.encode("latin-1").decode()
        except UnicodeError:
            return value
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [_repaired(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _repaired(item, depth + 1) for key, item in value.items()}
    return value


def _message(record: dict[str, Any], place: str, *, chat: str) -> LogMessage:
    text = parts_text(record.get("content"))
    share = members(record.get("share"))
    shared = " ".join((*texts_besides(share, text), first_string(share, "link"))).strip()
    seconds, stated = record.get("call_duration"), record.get("timestamp_ms")
    return message_at(
        place,
        first_string(record, "sender_name"),
        joined(
            text,
            *(_media(key, each) for key in _MEDIA for each in objects(record.get(key))),
            _media("sticker", members(record.get("sticker"))) if record.get("sticker") else "",
            f"[share: {shared}]" if shared else "",
            f"[call: {seconds} seconds]" if isinstance(seconds, int) else "",
            *quoted(record, text),
        ),
        read_instant(stated),
        "" if stated is None else str(stated),
        chat=chat,
    )


def _media(kind: str, value: dict[str, Any]) -> str:
    """Return the kind and the name of a file, and its caption."""
    name = PurePosixPath(first_string(value, "uri")).name
    return f"[{': '.join(filter(None, (kind, name, *texts_besides(value, ''))))}]"
