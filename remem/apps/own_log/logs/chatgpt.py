"""ChatGPT's conversations.json: each conversation is a tree of messages."""

from collections.abc import Iterator
from typing import Any

from remem.apps.own_log.logs.instants import required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.benchmarks.json_fields import checked, field


class ChatGPT:
    """Reads every message of every tree, answers that were asked for again included."""

    name = "ChatGPT export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has conversations with a `mapping`."""
        return any(isinstance(found, dict) and "mapping" in found for found in _listed(file))

    def read(self, file: LogFile) -> Reading:
        """Read each conversation as one session, parents before children."""
        return Reading(
            tuple(
                item
                for number, record in enumerate(_listed(file), start=1)
                for item in _conversation(record, f"{file.path}, conversation {number}")
            )
        )


def _listed(file: LogFile) -> list[Any]:
    return file.document if isinstance(file.document, list) else [file.document]


def _conversation(record: Any, where: str) -> Iterator[LogMessage]:
    mapping = field(record, "mapping", dict, where)
    for number, node in enumerate(_in_order(mapping, where), start=1):
        message = node.get("message")
        if message is not None:
            item = _message(message, f"{where}, message {number}", where)
            if item.message.text:
                yield item


def _in_order(mapping: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """Return all nodes, children after their parents; a loop is cut, and no node is left out."""
    nodes = {key: checked(node, dict, f"{key!r} of {where}") for key, node in mapping.items()}
    roots = [key for key, node in nodes.items() if not _is_key(node.get("parent"), nodes)]
    placed: dict[str, dict[str, Any]] = {}
    for start in (*roots, *nodes):
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in placed:
                continue
            placed[key] = nodes[key]
            children = nodes[key].get("children")
            known = [child for child in _list(children) if _is_key(child, nodes)]
            waiting.extend(reversed(known))
    return list(placed.values())


def _message(record: Any, where: str, session: str) -> LogMessage:
    author = field(record, "author", dict, where)
    stated = record.get("create_time")
    speaker = author.get("name") or author.get("role") or ""
    return message_at(
        where,
        checked(speaker, str, f"the author of {where}").strip(),
        "\n".join(_texts(field(record, "content", dict, where))).strip(),
        required_instant(stated, where),
        "" if stated is None else str(stated),
        session=session,
    )


def _texts(content: dict[str, Any]) -> Iterator[str]:
    """Yield all texts of a content, whatever its type; an attachment is named in brackets."""
    for part in _list(content.get("parts")):
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            kind = part.get("content_type") or "attachment"
            yield part["text"] if isinstance(part.get("text"), str) else f"[{kind}]"
    for key in ("text", "result", "content", "user_profile", "user_instructions"):
        if isinstance(content.get(key), str):
            yield content[key]
    for thought in _list(content.get("thoughts")):
        if isinstance(thought, dict):
            values = (thought.get("summary"), thought.get("content"))
            yield from (value for value in values if isinstance(value, str))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_key(value: Any, nodes: dict[str, Any]) -> bool:
    return isinstance(value, str) and value in nodes
