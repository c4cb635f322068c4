"""Telegram's JSON export: one chat (result.json), or all chats of an account."""

from collections.abc import Iterator
from typing import Any

from remem.apps.own_log.logs.instants import required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.benchmarks.json_files import checked, field

_MARKS_OF_TELEGRAM = ("date_unixtime", "from_id", "actor_id")
_DESCRIBED = (
    *("title", "sticker_emoji", "media_type", "photo", "file", "file_name"),
    *("place_name", "address", "game_title", "performer"),
)
_GROUPS = ("location_information", "contact_information")


class Telegram:
    """Reads messages, service notices and what is known of media, with the local time as written.

    Media without a caption become a note in brackets, so that no message is lost.
    """

    name = "Telegram export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has a chat with messages of Telegram's."""
        return any(
            isinstance(message, dict) and any(key in message for key in _MARKS_OF_TELEGRAM)
            for chat in _chats(file.document)
            for message in _list(chat.get("messages"))
        )

    def read(self, file: LogFile) -> Reading:
        """Read every chat; with more than one, each is a session of its own."""
        chats = list(_chats(file.document))
        log_messages: list[LogMessage] = []
        for number, chat in enumerate(chats, start=1):
            place = f"{file.path}" if len(chats) == 1 else f"{file.path}, chat {number}"
            listed = field(chat, "messages", list, place)
            log_messages += [
                _message(record, f"{place}, message {at}")
                for at, record in enumerate(listed, start=1)
            ]
        return Reading(tuple(log_messages))


def _chats(document: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(document, dict):
        return
    if "messages" in document:
        yield document
    for group in ("chats", "left_chats"):
        listed = document.get(group)
        if isinstance(listed, dict):
            yield from (chat for chat in _list(listed.get("list")) if isinstance(chat, dict))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _message(record: Any, where: str) -> LogMessage:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {type(record).__name__}, expected an object")
    text = _text(record.get("text", ""), where)
    parts = [text.strip(), *_extras(record, where)]
    speaker = record.get("from") or record.get("actor") or ""
    stated = record.get("date") or record.get("date_unixtime") or ""
    return message_at(
        where,
        checked(speaker, str, f"the sender of {where}").strip(),
        "\n".join(part for part in parts if part) or "[message]",
        required_instant(stated, where),
        str(stated),
    )


def _text(value: Any, where: str) -> str:
    """Return the text of a message: a string, or a list of strings and formatted pieces."""
    if isinstance(value, str):
        return value
    pieces = checked(value, list, f"'text' of {where}")
    return "".join(
        piece if isinstance(piece, str) else field(piece, "text", str, f"'text' of {where}")
        for piece in pieces
    )


def _extras(record: dict[str, Any], where: str) -> Iterator[str]:
    """Describe what a message has besides its text: a notice, media, a poll."""
    action = checked(record.get("action", ""), str, f"'action' of {where}").replace("_", " ")
    names = [name for name in _list(record.get("members")) if isinstance(name, str)]
    values = [record.get(key) for key in _DESCRIBED]
    groups = [record.get(key) for key in _GROUPS]
    values += [value for group in groups if isinstance(group, dict) for value in group.values()]
    parts = [action, *(str(value) for value in values if isinstance(value, str | float)), *names]
    if any(parts):
        yield f"[{': '.join(part for part in parts if part)}]"
    poll = record.get("poll")
    if isinstance(poll, dict):
        listed = _list(poll.get("answers"))
        answers = [answer.get("text") for answer in listed if isinstance(answer, dict)]
        yield "\n".join(part for part in (poll.get("question"), *answers) if isinstance(part, str))
