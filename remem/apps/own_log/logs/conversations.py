"""The conversations.json of ChatGPT and of Claude: trees or lists of messages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from remem.apps.own_log.logs.instants import required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.benchmarks.json_files import checked, field


@dataclass(frozen=True, slots=True)
class ConversationExport:
    """Reads each conversation of an export as one session.

    A conversation has its messages under `key`, as a value of type `kind`; `messages` yields them
    from it and from the place of the conversation.
    """

    name: str
    key: str
    kind: type
    messages: Callable[[Any, str], Iterator[LogMessage]]

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has conversations with such messages."""
        return any(isinstance(record, dict) and self.key in record for record in _records(file))

    def read(self, file: LogFile) -> Reading:
        """Read the messages of all conversations, in the order of the file."""
        log_messages: list[LogMessage] = []
        for number, record in enumerate(_records(file), start=1):
            session = f"{file.path}, conversation {number}"
            log_messages += self.messages(field(record, self.key, self.kind, session), session)
        return Reading(tuple(log_messages))


def chatgpt_messages(mapping: dict[str, Any], session: str) -> Iterator[LogMessage]:
    """Yield every message of a tree, answers that were asked for again included."""
    for number, node in enumerate(_in_order(mapping, session), start=1):
        record, place = node.get("message"), f"{session}, message {number}"
        if record is None:
            continue
        author = field(record, "author", dict, place)
        name = checked(
            author.get("name") or author.get("role") or "", str, f"the author of {place}"
        )
        texts = _chatgpt_texts(field(record, "content", dict, place))
        text = "\n".join(texts).strip()
        yield from _message(place, name, text, record.get("create_time"), session)


def claude_messages(records: list[Any], session: str) -> Iterator[LogMessage]:
    """Yield the messages with their attachments' extracted text."""
    for number, record in enumerate(records, start=1):
        place = f"{session}, message {number}"
        name, texts = field(record, "sender", str, place), _claude_texts(record, place)
        text = "\n".join(filter(None, texts))
        yield from _message(place, name, text, record.get("created_at"), session)


CHATGPT = ConversationExport("ChatGPT export", "mapping", dict, chatgpt_messages)
CLAUDE = ConversationExport("Claude export", "chat_messages", list, claude_messages)


def _message(
    place: str, speaker: str, text: str, date: object, session: str
) -> Iterator[LogMessage]:
    """Yield a message; one without text has neither speaker nor date."""
    if not text:
        yield message_at(place, "", "", session=session)
    else:
        point, written = required_instant(date, place), "" if date is None else str(date)
        yield message_at(place, speaker.strip(), text, point, written, session=session)


def _records(file: LogFile) -> list[Any]:
    return file.document if isinstance(file.document, list) else [file.document]


def _in_order(mapping: dict[str, Any], session: str) -> list[dict[str, Any]]:
    """Return all nodes, children after their parents; a loop is cut, and no node is left out."""
    nodes = {key: checked(node, dict, f"{key!r} of {session}") for key, node in mapping.items()}
    roots = [key for key, node in nodes.items() if not _is_key(node.get("parent"), nodes)]
    placed: dict[str, dict[str, Any]] = {}
    for start in (*roots, *nodes):
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in placed:
                continue
            placed[key] = nodes[key]
            children = _list(nodes[key].get("children"))
            waiting.extend(reversed([child for child in children if _is_key(child, nodes)]))
    return list(placed.values())


def _is_key(value: Any, nodes: dict[str, Any]) -> bool:
    return isinstance(value, str) and value in nodes


def _chatgpt_texts(content: dict[str, Any]) -> Iterator[str]:
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
    for thought in _objects(content.get("thoughts")):
        values = (thought.get("summary"), thought.get("content"))
        yield from (value for value in values if isinstance(value, str))


def _claude_texts(record: Any, place: str) -> Iterator[str]:
    """Yield the text (or that of the content's parts, if it is empty), then the attachments."""
    whole = field(record, "text", str, place) if "text" in record else ""
    yield whole.strip() or "\n".join(_claude_parts(record.get("content")))
    for attached in _objects(record.get("attachments")):
        values = (attached.get("file_name"), attached.get("extracted_content"))
        name, content = (value if isinstance(value, str) else "" for value in values)
        yield f"[{name}]\n{content}".strip() if name or content else ""
    for file in _objects(record.get("files")):
        yield f"[{file['file_name']}]" if isinstance(file.get("file_name"), str) else ""


def _claude_parts(content: Any) -> Iterator[str]:
    for part in _objects(content):
        values = (part.get("text"), part.get("thinking"))
        texts = [value for value in values if isinstance(value, str)]
        yield from texts or [f"[{part.get('type') or 'attachment'}]"]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in _list(value) if isinstance(item, dict)]
