"""Claude's conversations.json: a list of conversations, each with its messages in order."""

from collections.abc import Iterator
from typing import Any

from remem.apps.own_log.logs.instants import required_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.benchmarks.json_fields import checked, field


class Claude:
    """Reads each conversation as one session."""

    name = "Claude export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the JSON has conversations with `chat_messages`."""
        return any(isinstance(found, dict) and "chat_messages" in found for found in _listed(file))

    def read(self, file: LogFile) -> Reading:
        """Read the messages with their attachments' extracted text."""
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
    for number, said in enumerate(field(record, "chat_messages", list, where), start=1):
        place = f"{where}, message {number}"
        speaker = field(said, "sender", str, place).strip()
        text = "\n".join(part for part in _texts(said, place) if part)
        if text:
            stated = said.get("created_at")
            yield message_at(
                place,
                speaker,
                text,
                required_instant(stated, place),
                "" if stated is None else str(stated),
                session=where,
            )


def _texts(record: Any, where: str) -> Iterator[str]:
    """Yield the text (or that of the content's parts, if it is empty), then the attachments."""
    whole = field(record, "text", str, where) if "text" in record else ""
    yield whole.strip() or "\n".join(_parts(record.get("content")))
    for attached in _list(record.get("attachments")):
        values = (attached.get("file_name"), attached.get("extracted_content"))
        name, content = (value if isinstance(value, str) else "" for value in values)
        yield f"[{name}]\n{content}".strip() if name or content else ""
    for file in _list(record.get("files")):
        yield f"[{file['file_name']}]" if isinstance(file.get("file_name"), str) else ""


def _parts(content: Any) -> Iterator[str]:
    for part in _list(content):
        values = (part.get("text"), part.get("thinking"))
        said = [value for value in values if isinstance(value, str)]
        yield from said or [f"[{part.get('type') or 'attachment'}]"]


def _list(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list."""
    listed = value if isinstance(value, list) else []
    return [checked(item, dict, "an item") for item in listed if isinstance(item, dict)]
