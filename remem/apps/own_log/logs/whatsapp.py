"""WhatsApp's exported chats, from Android and iOS, in the date order of any phone."""

import re

from remem.apps.own_log.logs.day_order import decide_order
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at
from remem.apps.own_log.logs.stamps import MARKS, SPACE, Stamp, find_stamp

_OPENING = re.compile(rf"[{MARKS}]*(?P<bracket>\[?)")
_ANDROID = re.compile(
    rf"{SPACE}*[-\u2013]{SPACE}|:{SPACE}|{SPACE}(?=~)|,{SPACE}(?=[^:]{{1,60}}{SPACE}:{SPACE})"
)
"""What stands between date and speaker; after a comma, as in Korean, a space ends the name."""
_IOS = re.compile(rf"\]{SPACE}?")
_SAID = re.compile(
    rf"[{MARKS}]*(?:~{SPACE}*)?(?P<speaker>[^:\n\"\u201c\u201d{MARKS}]{{1,60}}?)[{MARKS}]*:"
    rf"(?:{SPACE}|(?![/\d]))(?P<text>.*)",
    re.DOTALL,
)
_FIRST_LINES, _ENOUGH = 20, 3


class WhatsApp:
    """Reads `4/2/24, 18:05 - Ann: text` (Android) and `[04/02/2024, 18:05:33] Ann: text` (iOS).

    A line without such a start goes on with the message before it. Notices of the app ("Ann added
    Bob") and left-out media ("<Media omitted>") are messages, so nothing is lost.
    """

    name = "WhatsApp export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the first line, or 3 of the first 20, start as WhatsApp's messages do."""
        lines = [line for _, line in file.lines() if line.strip()][:_FIRST_LINES]
        starts = [_header(line) is not None for line in lines]
        return any(starts[:1]) or sum(starts) >= _ENOUGH

    def read(self, file: LogFile) -> Reading:
        """Read the messages; the day order is decided by the whole file."""
        lines = [(place, line, _header(line)) for place, line in file.lines()]
        stamps = [header[0] for _, _, header in lines if header]
        order = decide_order(stamps, file.day_first)
        blocks: list[tuple[str, Stamp | None, list[str]]] = []
        for place, line, header in lines:
            if header and header[0].point(day_first=order.day_first):
                blocks.append((place, header[0], [header[1]]))
            elif blocks:
                blocks[-1][2].append(line)
            elif line.strip():
                blocks.append((place, None, [line]))
        log_messages = [
            _message(place, stamp, "\n".join(texts), order.day_first)
            for place, stamp, texts in blocks
        ]
        with_notices = tuple(_with_notices([item for item in log_messages if item.message.text]))
        return Reading(with_notices, (order.note,) if order.note else ())


def _header(line: str) -> tuple[Stamp, str] | None:
    """Return the date of a message's first line and what follows it; None for any other line."""
    opening = _OPENING.match(line)
    start = opening.end() if opening else 0
    stamp = find_stamp(line[start:])
    if stamp is None or stamp.minute is None or not stamp.written[0].isdigit():
        return None
    closing = _IOS if opening and opening["bracket"] else _ANDROID
    closed = closing.match(line, start + stamp.end)
    if closed is None or line.startswith("<", closed.end()):  # as IRC writes a speaker
        return None
    return stamp, line[closed.end() :]


def _message(place: str, stamp: Stamp | None, rest: str, day_first: bool) -> LogMessage:
    speaker_and_text = _SAID.fullmatch(rest)
    speaker, text = (
        (speaker_and_text["speaker"].strip(), speaker_and_text["text"])
        if speaker_and_text
        else ("", rest)
    )
    point = stamp.point(day_first=day_first) if stamp else None
    return message_at(place, speaker, text.strip(), point, stamp.written if stamp else "")


def _with_notices(log_messages: list[LogMessage]) -> list[LogMessage]:
    """Take the invisible marks off, and the name of a group off the notices under its name.

    iOS writes notices as messages of the group, each behind a mark; the first line is always one.
    """
    name = log_messages[0].message.speaker if log_messages else ""
    own = [item.message.text for item in log_messages if item.message.speaker == name]
    is_group = bool(name) and all(text.startswith(tuple(MARKS)) for text in own)
    return [_clean(item, name if is_group else None) for item in log_messages]


def _clean(item: LogMessage, group: str | None) -> LogMessage:
    message = item.message
    text = message.text.lstrip(MARKS).strip() or message.text
    if group is not None and message.speaker == group:
        return message_at(item.place, "", f"{group}: {text}", message.time, message.date)
    return message_at(item.place, message.speaker, text, message.time, message.date)
