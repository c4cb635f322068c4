"""Read the conversations.json of ChatGPT, with trees of messages, or of Claude, with lists."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
)
from remem.apps.own_log.logs.log import (
    NO_TEXT,
    OTHER_BRANCHES,
    LogFile,
    LogMessage,
    Reading,
    Record,
    message_at,
    read_records,
)
from remem.apps.own_log.logs.words import texts_besides


@dataclass(frozen=True, slots=True)
class ConversationExport:
    """Reads each conversation of an export as one session.

    `key` is the key of a conversation's messages. `read_one(conversation, place, session,
    all_branches)` yields the records of a conversation. `unread` has the JSON keys of metadata,
    whose words are not counted as words of the log.
    """

    name: str
    key: str
    read_one: Callable[[dict[str, Any], str, str, bool], Iterator[Record]]
    unread: frozenset[str]

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has conversations with messages under `key`."""
        return any(self.key in record for record in _conversations(file))

    def read(self, file: LogFile) -> Reading:
        """Read the messages of all conversations, in the order of the file."""
        records: list[Record] = []
        for number, conversation in enumerate(_conversations(file), start=1):
            place = f"{file.path}, conversation {number}"
            title = first_string(conversation, "title", "name")
            session = f"{place}: {title}" if title else place
            records += self.read_one(conversation, place, session, file.all_branches)
        source = ((str(file.path), file.document),)
        return Reading(tuple(records), source, unread=self.unread)


def _conversations(file: LogFile) -> list[dict[str, Any]]:
    return objects(file.document if isinstance(file.document, list) else [file.document])


def _chatgpt(
    conversation: dict[str, Any], place: str, session: str, all_branches: bool
) -> Iterator[Record]:
    """Yield the messages of the branch that is shown, unless all are asked for."""
    nodes = {
        key: node
        for key, node in members(conversation.get("mapping")).items()
        if isinstance(node, dict)
    }
    branch = _branch(nodes, conversation.get("current_node"))
    placed = enumerate(_in_order(nodes), start=1)
    for number, key in placed:
        message, at = nodes[key].get("message"), f"{place}, message {number}"
        if message is None:
            continue
        (record,) = read_records([(message, at)], partial(_chatgpt_message, session=session))
        if branch and key not in branch and not all_branches and not record.left_out:
            record = Record(message_at(at, "", ""), message, OTHER_BRANCHES)
        if not (record.left_out == NO_TEXT and _is_silent(message)):
            yield record


def _branch(nodes: dict[str, dict[str, Any]], current: Any) -> set[str]:
    """Return the keys of the current node and its ancestors; none if no node is the current one."""
    branch = set[str]()
    while _is_key(current, nodes) and current not in branch:
        branch.add(current)
        current = nodes[current].get("parent")
    return branch


def _is_silent(message: dict[str, Any]) -> bool:
    """Tell whether a message without text comes from ChatGPT itself; every export has some."""
    role = members(message.get("author")).get("role")
    return isinstance(message.get("content"), dict) and role in ("system", "tool", "assistant")


def _chatgpt_message(record: dict[str, Any], place: str, *, session: str) -> LogMessage:
    speaker = first_string(members(record.get("author")), "name", "role")
    content = members(record.get("content"))
    text = parts_text(content.get("parts"))
    text = "\n".join((text.strip(), *texts_besides(content, text, CHATGPT.unread)))
    attached = file_names(members(record.get("metadata")), "attachments")
    text = joined(text, *(name for name in attached if name not in text))
    return _message(record.get("create_time"), place, speaker, text, session)


def _claude(
    conversation: dict[str, Any], place: str, session: str, _all_branches: bool
) -> Iterator[Record]:
    """Yield the messages with their attachments' extracted text."""
    listing = listed(conversation.get("chat_messages"))
    placed = ((each, f"{place}, message {number}") for number, each in enumerate(listing, start=1))
    yield from read_records(placed, partial(_claude_message, session=session))
    summary = first_string(conversation, "summary")
    if summary:
        yield Record(message_at(f"{place}, summary", "", summary, session=session), conversation)


def _claude_message(record: dict[str, Any], place: str, *, session: str) -> LogMessage:
    text = whole = parts_text(record.get("text")).strip()
    for part in listed(record.get("content")):
        kind = first_string(members(part), "type")
        texts = list(texts_besides(part, text))
        named = () if kind in ("text", "thinking") or (whole and not texts) else (f"[{kind}]",)
        text = "\n".join(filter(None, (text, *named, *texts)))
    attached = (
        "\n".join((*file_names({"a": [each]}, "a"), first_string(each, "extracted_content")))
        for each in objects(record.get("attachments"))
    )
    text = joined(text, *attached, *file_names(record, "files"))
    return _message(record.get("created_at"), place, first_string(record, "sender"), text, session)


def _message(stated: object, place: str, speaker: str, text: str, session: str) -> LogMessage:
    written = "" if stated is None else str(stated)
    return message_at(place, speaker, text, read_instant(stated), written, session=session)


def _in_order(nodes: dict[str, dict[str, Any]]) -> list[str]:
    """Return the keys of all nodes, each after its parent; if nodes form a loop, it is cut."""
    roots = [key for key, node in nodes.items() if not _is_key(node.get("parent"), nodes)]
    placed: dict[str, None] = {}
    for start in (*roots, *nodes):
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in placed:
                continue
            placed[key] = None
            children = listed(nodes[key].get("children"))
            waiting.extend(reversed([child for child in children if _is_key(child, nodes)]))
    return list(placed)


def _is_key(value: Any, nodes: dict[str, dict[str, Any]]) -> bool:
    return isinstance(value, str) and value in nodes


CHATGPT = ConversationExport("ChatGPT export", "mapping", _chatgpt, frozenset({"metadata"}))
CLAUDE = ConversationExport("Claude export", "chat_messages", _claude, frozenset({"account"}))
