"""The text of an episode in an extraction prompt: a date line, then a line for each message.

Every message stays on one line, so that its text cannot look like a date or another speaker.
"""

from collections.abc import Sequence

from remem.passages import undated_line
from remem.temporal.dates import format_point
from remem.types import Message


def session_text(messages: Sequence[Message], *, captions: bool) -> str:
    """Return the messages of an episode as text, with a date line whenever the day changes."""
    lines: list[str] = []
    day = ""
    for message in messages:
        if (today := _day(message)) != day:
            day = today
            lines.append(f"Date: {_date(message)}")
        lines.append(_line(message, captions=captions))
    return "\n".join(lines)


def _line(message: Message, *, captions: bool) -> str:
    line = " ".join(undated_line(message).split())
    caption = " ".join(message.caption.split())
    return f"{line} [image: {caption}]" if captions and caption else line


def _day(message: Message) -> str:
    return str(message.time).partition("T")[0] if message.time else message.date


def _date(message: Message) -> str:
    return format_point(message.time) if message.time else message.date
