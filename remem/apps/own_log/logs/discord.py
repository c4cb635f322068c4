"""Read Discord chats from the JSON of DiscordChatExporter."""

from functools import partial
from typing import Any

from remem.apps.own_log.logs.instants import read_instant
from remem.apps.own_log.logs.json_values import (
    file_names,
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

_UNREAD = frozenset({"roles", "mentions", "inlineEmojis", "interaction", "guild", "channel"})
_NAME = ("nickname", "name", "username")


class Discord:
    """Reads messages, embeds, attachments and stickers; a reply ends with "[in reply to ...]"."""

    name = "Discord export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has a channel, and messages with authors."""
        document = members(file.document)
        messages = objects(document.get("messages"))
        has_author = any(isinstance(message.get("author"), dict) for message in messages)
        return has_author and any(
            isinstance(document.get(key), dict) for key in ("guild", "channel")
        )

    def read(self, file: LogFile) -> Reading:
        """Read the messages; sessions are named after the server and the channel."""
        document = members(file.document)
        server, channel = members(document.get("guild")), members(document.get("channel"))
        chat = f"{first_string(server, 'name')} {first_string(channel, 'name')}".strip()
        records = listed(document.get("messages"))
        authors = {each.get("id"): _author(each) for each in objects(records) if _has_id(each)}
        placed = ((each, f"{file.path}, message {at}") for at, each in enumerate(records, start=1))
        read = read_records(placed, partial(_message, chat=chat, authors=authors))
        return Reading(tuple(read), ((str(file.path), file.document),), unread=_UNREAD)


def _has_id(record: dict[str, Any]) -> bool:
    return isinstance(record.get("id"), str)


def _author(record: dict[str, Any]) -> str:
    return first_string(members(record.get("author")), *_NAME)


def _message(
    record: dict[str, Any], place: str, *, chat: str, authors: dict[Any, str]
) -> LogMessage:
    text = parts_text(record.get("content"))
    embeds = "\n".join(map(_embed, objects(record.get("embeds"))))
    besides = {key: record.get(key) for key in ("embeds", "forwardedMessage", "poll")}
    replied = members(record.get("reference")).get("messageId")
    author = authors.get(replied, "") if isinstance(replied, str) else ""
    stated = record.get("timestamp")
    return message_at(
        place,
        _author(record),
        joined(
            text,
            embeds,
            *texts_besides(besides, f"{text} {embeds}"),
            *file_names(record, "attachments", "stickers"),
            *quoted(record, text),
            f"[in reply to {author}]" if author and text.strip() else "",
        ),
        read_instant(stated),
        "" if stated is None else str(stated),
        chat=chat,
    )


def _embed(embed: dict[str, Any]) -> str:
    """Return the title, the description and the fields of an embed, each on its own line."""
    pairs = (
        (first_string(each, "name"), first_string(each, "value"))
        for each in objects(embed.get("fields"))
    )
    fields = (": ".join(filter(None, pair)) for pair in pairs)
    lines = (first_string(embed, "title"), first_string(embed, "description"), *fields)
    return "\n".join(filter(None, lines))
