"""Slack's JSON export: one file (a channel on one day), or the unzipped folder of all channels."""

import html
import re
from collections.abc import Mapping
from functools import partial
from itertools import accumulate
from math import isfinite
from pathlib import Path
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
)
from remem.apps.own_log.logs.log import (
    LogFile,
    LogMessage,
    Reading,
    Record,
    message_at,
    read_records,
)
from remem.apps.own_log.logs.whole_files import json_of
from remem.apps.own_log.logs.words import texts_besides, words
from remem.benchmarks.json_files import checked
from remem.files.opened import check_inside

_MARKUP = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_ENTITIES = "amp lt gt"
"""The signs that Slack writes as &amp; and the like."""
_NAME = ("real_name", "display_name", "name", "username")
_BLOCK_PARTS = (
    *("text", "title", "alt_text", "fields", "elements", "accessory", "label", "options", "rows"),
    *("blocks", "caption", "description", "content"),
)
_INLINE = ("rich_text_section", "rich_text_quote", "rich_text_preformatted")
_DEEPEST = 50
_UNREAD_KEYS = (
    "user_profile bot_profile icons root metadata previous_message replies block_id mrkdwn_in "
    "saved pinned_info fallback"
)
_UNREAD = frozenset(_UNREAD_KEYS.split())
_TITLED = {"title": "", "name": ""}
USERS = "users.json"


class Slack:
    """Reads messages with their users' names; mentions become names, as Slack shows them.

    Slack's files state times as seconds since 1970; these are read as UTC.
    """

    name = "Slack export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the path is an export folder, or a list of messages with Slack's `ts`."""
        if file.path.is_dir():
            return any(slack_files(file.path))
        return any("ts" in record for record in objects(file.document))

    def read(self, file: LogFile) -> Reading:
        """Read all messages from oldest to newest, with one session per channel and day."""
        broken = list[str]()
        if not file.path.is_dir():
            names = _names(file.path.parent.parent / USERS) | _names(file.path.parent / USERS)
            files = [(file.path, file.document)]
        else:
            names = _names(file.path / USERS)
            paths = sorted(slack_files(file.path), key=lambda path: (path.stem, path.parent.name))
            files = []
            for path in paths:
                try:
                    check_inside(path, file.path)
                    files.append((path, checked(json_of(path), list, str(path))))
                except ValueError as error:
                    broken.append(f"a day was not read: {error}")
        records = tuple(record for path, day in files for record in _records(day, path, names))
        days = tuple((str(path), day) for path, day in files)
        return Reading(records, days, tuple(broken), unread=_UNREAD)


def slack_files(folder: Path) -> list[Path]:
    """Return the message files of an export folder: one subfolder per channel, one file per day."""
    names = [
        path for path in sorted(folder.glob("*/*.json")) if re.match(r"\d{4}-\d\d-\d\d", path.stem)
    ]
    return [path for path in names if path.is_file()]


def _names(path: Path) -> dict[str, str]:
    """Return the names of users by id, from the export's list of users if it has one."""
    if not path.is_file():
        return {}
    users = objects(checked(json_of(path), list, str(path)))
    return {user["id"]: _name(user) for user in users if isinstance(user.get("id"), str)}


def _name(user: Mapping[str, Any]) -> str:
    profiles = (members(user.get(key)) for key in ("profile", "user_profile", "bot_profile"))
    names = (first_string(source, *_NAME) for source in (*profiles, user))
    return next(filter(None, names), "")


def _records(document: Any, path: Path, names: Mapping[str, str]) -> list[Record]:
    """Return the messages of a channel's day in the order of time, each as it was edited last."""
    listing = checked(document, list, str(path))
    placed = ((each, f"{path}, message {number}") for number, each in enumerate(listing, start=1))
    read = partial(_message, session=f"{path.parent.name}/{path.stem}", names=names)
    records = [
        Record(each.message, each.source, each.left_out, _read_marks(each.source))
        for each in read_records(placed, read)
    ]
    edited = {each.message.message.date for each in records if _is_edit(each.source)}
    latest = [
        Record(message_at(each.message.place, "", ""), each.source, "they were edited later")
        if each.message.message.date in edited and not _is_edit(each.source)
        else each
        for each in records
    ]
    return _in_time(latest)


def _in_time(records: list[Record]) -> list[Record]:
    """Sort by time; a record without one stays behind the record before it."""
    seconds = accumulate((_seconds(each.message.message.date) for each in records), _known)
    pairs = sorted(zip(seconds, records, strict=True), key=lambda pair: pair[0])
    return [record for _, record in pairs]


def _known(before: float, seconds: float) -> float:
    return seconds or before


def _is_edit(record: Any) -> bool:
    return members(record).get("subtype") == "message_changed" and "message" in record


def _seconds(stated: str) -> float:
    try:
        return float(stated) if isfinite(float(stated)) else 0
    except ValueError:
        return 0


def _message(
    record: dict[str, Any], place: str, *, session: str, names: Mapping[str, str]
) -> LogMessage:
    if _is_edit(record):
        record = members(record["message"])
    stated = str(record.get("ts") or "")
    point = read_instant(_seconds(stated)) if _seconds(stated) else read_instant(stated)
    return message_at(
        place, _speaker(record, names), _text(record, names), point, stated, session=session
    )


def _speaker(record: Mapping[str, Any], names: Mapping[str, str]) -> str:
    user = first_string(record, "user", "bot_id")
    return (names.get(user, "") or _name(record) or user).strip()


def _text(record: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the text of a message, with what only its blocks, attachments and files say."""
    text = _shown(parts_text(record.get("text")), names).strip()
    blocks = _block(record.get("blocks"), names).strip()
    if not set(words(blocks)) <= set(words(text)):
        is_whole = set(words(text)) <= set(words(blocks))
        text = blocks if is_whole else f"{text}\n{blocks}"
    for attached in objects(record.get("attachments")):
        inner = attached.get("blocks") or attached.get("message_blocks")
        body = _shown(first_string(attached, "text"), names) or _block(inner, names)
        rest = [_shown(each, names) for each in texts_besides(attached, f"{text} {body}", _UNREAD)]
        if not body and not rest:
            body = _shown(first_string(attached, "fallback", "title"), names)
        text = "\n".join(filter(None, (text, "" if body in text else body, *rest)))
    files = objects(record.get("files"))
    previews = (rest for file in files for rest in texts_besides(file | _TITLED, text))
    return joined(
        text, *file_names({"files": [_titled(file) for file in files]}, "files"), *previews
    )


def _titled(file: dict[str, Any]) -> dict[str, Any]:
    return {"title": first_string(file, "title", "name")}


def _shown(text: str, names: Mapping[str, str]) -> str:
    """Return a text as Slack shows it: names instead of ids, and links as label and address."""

    def show(match: re.Match[str]) -> str:
        sign, target, label = match["sign"], match["target"], match["label"]
        if sign == "@":
            return f"@{names.get(target) or label or target}"
        if sign:
            shown = label or target
            return (
                shown if shown.startswith(("@", "#")) else f"{'#' if sign == '#' else '@'}{shown}"
            )
        return f"{label} ({target})" if label and label != target else target

    return html.unescape(_MARKUP.sub(show, text))


def _block(value: Any, names: Mapping[str, str], depth: int = 0) -> str:
    """Return the text of blocks: sections and items on their own lines."""
    if isinstance(value, str):
        return _shown(value, names)
    if not value or depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (_block(item, names, depth + 1) for item in value)))
    if not isinstance(value, dict):
        return ""
    block: dict[str, Any] = value
    kind = block.get("type")
    if kind == "user":
        user = first_string(block, "user_id")
        return f"@{names.get(user) or user}"
    if kind == "emoji":
        return f":{first_string(block, 'name')}:"
    if kind == "link":
        return _linked(first_string(block, "text"), first_string(block, "url"))
    if kind in ("channel", "usergroup", "broadcast", "date"):
        named = first_string(block, "fallback", "range", "channel_id", "usergroup_id")
        return named if kind == "date" else f"{'#' if kind == 'channel' else '@'}{named}"
    if kind in _INLINE:
        return "".join(_block(item, names, depth + 1) for item in listed(block.get("elements")))
    parts = (_block(block.get(key), names, depth + 1) for key in _BLOCK_PARTS)
    return "\n".join(filter(None, parts))


def _linked(label: str, address: str) -> str:
    return f"{label} ({address})" if label and label != address else label or address


def _read_marks(record: Any) -> str:
    """Return the ids and escapes in a record, which its message shows as names and characters."""
    raw = " ".join(texts_besides(record, "", _UNREAD))
    return " ".join((_ENTITIES, *(match["target"] for match in _MARKUP.finditer(raw))))
