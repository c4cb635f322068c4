"""Telegram's JSON export: one chat (result.json), or all chats of an account."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from remem.apps.own_log.logs.instants import read_instant
from remem.apps.own_log.logs.json_values import (
    first_string,
    listed,
    members,
    objects,
    parts_text,
    quoted,
)
from remem.apps.own_log.logs.log import (
    LogFile,
    LogMessage,
    Reading,
    Record,
    message_at,
    read_records,
)
from remem.apps.own_log.logs.words import texts_besides

_MARKS_OF_TELEGRAM = ("date_unixtime", "from_id", "actor_id")
_DESCRIBED = (
    *("title", "sticker_emoji", "media_type", "photo", "file", "file_name"),
    *("place_name", "address", "game_title", "performer", "game_description", "author"),
)
_GROUPS = ("location_information", "contact_information", "invoice_information")
_FURTHER = ("poll", "inline_bot_buttons", "todo_list", "giveaway_information", "new_title")
_NOT_CHATS_KEYS = (
    "about personal_information profile_pictures stories contacts frequent_contacts sessions "
    "web_sessions other_data saved_music members"
)
_NOT_CHATS = frozenset(_NOT_CHATS_KEYS.split())
"""The keys of an account's export besides its chats; a message already names a notice's members."""


class Telegram:
    """Reads messages, service notices and descriptions of media, with local times as written.

    Media without a caption become a note in brackets, so that no message is lost.
    """

    name = "Telegram export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has a chat with messages as Telegram exports them."""
        return any(
            any(key in message for key in _MARKS_OF_TELEGRAM)
            for chat in _chats(file.document)
            for message in objects(chat.get("messages"))
        )

    def read(self, file: LogFile) -> Reading:
        """Read every chat; each has its own sessions."""
        chats = list(_chats(file.document))
        records: list[Record] = []
        for number, chat in enumerate(chats, start=1):
            place, name = f"{file.path}", first_string(chat, "name")
            if len(chats) > 1:
                place, name = f"{place}, chat {number}", f"chat {number}: {name}"
            numbers = enumerate(listed(chat.get("messages")), start=1)
            placed = ((record, f"{place}, message {at}") for at, record in numbers)
            records += read_records(placed, partial(_message, chat=name))
        source = ((str(file.path), file.document),)
        return Reading(tuple(records), source, unread=_NOT_CHATS)


def _chats(document: Any) -> Iterator[dict[str, Any]]:
    if "messages" in members(document):
        yield document
    for group in ("chats", "left_chats"):
        yield from objects(members(members(document).get(group)).get("list"))


def _message(record: dict[str, Any], place: str, *, chat: str) -> LogMessage:
    text = parts_text(record.get("text"), joint="").strip()
    parts = [text, *_extras(record), *quoted(record, text)]
    parts += texts_besides({key: record.get(key) for key in _FURTHER}, "\n".join(parts))
    speaker = sender = first_string(record, "from", "actor")
    source = next((key for key in ("forwarded_from", "saved_from") if key in record), "")
    if source:
        speaker = first_string(record, source)
        saved = first_string(record, "saved_from")
        parts += [f"[forwarded by {sender}]"] if sender else []
        parts += [f"[saved from {saved}]"] if saved not in ("", speaker) else []
    stated = record.get("date") or record.get("date_unixtime") or ""
    point = read_instant(stated) or read_instant(record.get("date_unixtime"))
    text = "\n".join(part for part in parts if part) or "[message]"
    return message_at(place, speaker, text, point, str(stated), chat=chat)


def _extras(record: dict[str, Any]) -> Iterator[str]:
    """Describe what a message has besides its text: a notice, media, a poll."""
    action = first_string(record, "action").replace("_", " ")
    names = [name for name in listed(record.get("members")) if isinstance(name, str)]
    values = [record.get(key) for key in _DESCRIBED]
    values += [value for key in _GROUPS for value in members(record.get(key)).values()]
    parts = [action, *(str(value) for value in values if isinstance(value, str | float)), *names]
    if any(parts):
        yield f"[{': '.join(part for part in parts if part)}]"
    poll = members(record.get("poll"))
    answers = [answer.get("text") for answer in objects(poll.get("answers"))]
    texts = (parts_text(part).strip() for part in (poll.get("question"), *answers) if part)
    yield "\n".join(filter(None, texts))
