"""Read JSON of unknown shape: a value of an unexpected type counts as missing."""

from collections.abc import Mapping
from typing import Any

from remem.apps.own_log.logs.log import NO_TEXT, LeftOutError
from remem.apps.own_log.logs.words import texts_besides

_QUOTES = (
    *("quote", "quoted", "quoted_text", "quoted_message", "reply_quote", "reply_to"),
    *("replied_to", "reply_to_text", "in_reply_to", "referencedMessage"),
)
_NAMES = ("name", "file_name", "fileName", "filename", "title")


def listed(value: Any) -> list[Any]:
    """Return a list unchanged, and an empty list for anything else."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list, without its other items; an empty list for anything else."""
    return [item for item in listed(value) if isinstance(item, dict)]


def members(value: Any) -> dict[str, Any]:
    """Return an object unchanged, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def first_string(record: Mapping[str, Any], *keys: str) -> str:
    """Return the first non-empty text under the given keys; "" if there is none."""
    values = (record.get(key) for key in keys)
    texts = (value.strip() for value in values if isinstance(value, str))
    return next(filter(None, texts), "")


def parts_text(value: Any, joint: str = "\n") -> str:
    """Return a text, or the joined parts of a text; a part such as an image becomes "[image]".

    Raises:
        LeftOutError: The value is neither a text, a part of a text nor a list of parts.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list | dict):
        raise LeftOutError("their text is neither a string nor a list of parts")
    parts = value if isinstance(value, list) else [value]
    return joint.join(filter(None, map(_part_text, parts)))


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else ""
    text = part.get("text")
    if isinstance(text, str):
        return text
    kind = part.get("content_type") or part.get("type") or "attachment"
    name = str(kind).removesuffix("_asset_pointer")
    return "\n".join((f"[{name}]", *texts_besides(part, "")))


def file_names(record: Mapping[str, Any], *keys: str) -> list[str]:
    """Return the names of a message's files, each in brackets."""
    values = [file for key in keys for file in listed(record.get(key))]
    names = [
        each if isinstance(each, str) else first_string(members(each), *_NAMES) for each in values
    ]
    return [f"[{name}]" for name in names if name]


def quoted(record: Mapping[str, Any], shown: str) -> list[str]:
    """Return the texts that a reply quotes, each as "[in reply to: ...]"."""
    values = {key: record.get(key) for key in _QUOTES}
    return [f"[in reply to: {text}]" for text in texts_besides(values, shown)]


def joined(*texts: str) -> str:
    """Join the non-empty texts, one per line.

    Raises:
        LeftOutError: All texts are empty.
    """
    text = "\n".join(filter(None, (each.strip() for each in texts)))
    if not text:
        raise LeftOutError(NO_TEXT)
    return text
