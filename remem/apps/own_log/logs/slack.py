"""Slack's JSON export: one file of a channel's day, or the unzipped folder with all channels."""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remem.apps.own_log.logs.instants import required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.apps.own_log.logs.whole_files import json_of
from remem.benchmarks.json_files import checked

_MENTION = re.compile(r"<@(?P<id>[A-Z0-9]+)(?:\|[^>]*)?>")
USERS = "users.json"


class Slack:
    """Reads messages with their users' names; mentions become names, as Slack shows them.

    Times are seconds since 1970 in Slack's files and are read as UTC.
    """

    name = "Slack export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether it is an export folder, or a list of messages with Slack's `ts`."""
        if file.path.is_dir():
            return any(slack_files(file.path))
        listed = file.document if isinstance(file.document, list) else []
        return any(isinstance(record, dict) and "ts" in record for record in listed)

    def read(self, file: LogFile) -> Reading:
        """Read all messages in the order of time, one session for each channel and day."""
        if not file.path.is_dir():
            names = _names(file.path.parent.parent / USERS) | _names(file.path.parent / USERS)
            return Reading(tuple(_messages(file.document, file.path, names)))
        names = _names(file.path / USERS)
        log_messages = [
            (path, item)
            for path in slack_files(file.path)
            for item in _messages(json_of(path), path, names)
        ]
        log_messages.sort(key=lambda pair: (pair[0].stem, pair[0].parent.name))
        return Reading(tuple(item for _, item in log_messages))


def slack_files(folder: Path) -> list[Path]:
    """Return the files of messages in an export folder: a subfolder a channel, a file a day."""
    names = [
        path for path in sorted(folder.glob("*/*.json")) if re.match(r"\d{4}-\d\d-\d\d", path.stem)
    ]
    return [path for path in names if path.is_file()]


def _names(path: Path) -> dict[str, str]:
    """Return the names of users by id, from the export's list of users if it has one."""
    if not path.is_file():
        return {}
    users = checked(json_of(path), list, str(path))
    return {
        user["id"]: _name(user)
        for user in users
        if isinstance(user, dict) and isinstance(user.get("id"), str)
    }


def _name(user: Mapping[str, Any]) -> str:
    profile = user.get("profile") or user.get("user_profile")
    sources = (profile if isinstance(profile, dict) else {}, user)
    keys = ("real_name", "display_name", "name", "username")
    names = (source.get(key) for source in sources for key in keys)
    return next((name for name in names if isinstance(name, str) and name), "")


def _messages(document: Any, path: Path, names: Mapping[str, str]) -> Iterator[LogMessage]:
    listed = checked(document, list, str(path))
    for number, record in enumerate(listed, start=1):
        where = f"{path}, message {number}"
        if not isinstance(record, dict):
            raise ValueError(f"{where} is {type(record).__name__}, expected an object")
        text = "\n".join(part for part in _texts(record, names, where) if part)
        if not text:
            yield message_at(where, "", "")
        else:
            stated = checked(record.get("ts") or "", str, f"'ts' of {where}")
            yield message_at(
                where,
                _speaker(record, names),
                text,
                required_instant(_seconds(stated), where),
                stated,
                session=f"{path.parent.name}/{path.stem}",
            )


def _seconds(stated: str) -> object:
    try:
        return float(stated)
    except ValueError:
        return stated


def _speaker(record: Mapping[str, Any], names: Mapping[str, str]) -> str:
    user = record.get("user") or record.get("bot_id") or ""
    name = names.get(user, "") if isinstance(user, str) else ""
    return (name or _name(record) or (user if isinstance(user, str) else "")).strip()


def _texts(record: Mapping[str, Any], names: Mapping[str, str], where: str) -> Iterator[str]:
    text = checked(record.get("text") or "", str, f"'text' of {where}")
    shown = _MENTION.sub(lambda match: f"@{names.get(match['id']) or match['id']}", text)
    yield html.unescape(shown).strip()
    for attached in _objects(record.get("attachments")):
        attached_text = attached.get("text") or attached.get("fallback") or attached.get("title")
        yield html.unescape(attached_text).strip() if isinstance(attached_text, str) else ""
    for file in _objects(record.get("files")):
        title = file.get("title") or file.get("name")
        yield f"[{title}]" if isinstance(title, str) else ""


def _objects(value: Any) -> list[dict[str, Any]]:
    listed = value if isinstance(value, list) else []
    return [item for item in listed if isinstance(item, dict)]
