"""WhatsApp's exported chats from Android and iOS, with the day or the month first."""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import inf

from remem.apps.own_log.logs.day_order import DayOrder, decide_order
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at, text_reading
from remem.apps.own_log.logs.stamps import MARKS, SPACE, Stamp, find_stamp
from remem.types import Message

_OPENING = re.compile(rf"[{MARKS}]*(?P<bracket>\[?)")
_ANDROID = re.compile(
    rf"{SPACE}*[-\u2013]{SPACE}|:{SPACE}|{SPACE}(?=~)|,{SPACE}(?=[^:]{{1,60}}{SPACE}:{SPACE})"
)
"""The text between date and speaker; after a comma, as in Korean, a space ends the name."""
_IOS = re.compile(rf"\]{SPACE}?")
_SAID = re.compile(
    rf"[{MARKS}]*(?:~{SPACE}*)?(?P<speaker>[^:\n]{{1,60}}?)[{MARKS}]*:"
    rf"(?:{SPACE}|(?![/\d]))(?P<text>.*)",
    re.DOTALL,
)
_LONGER_NAME = re.compile(rf"(?P<more>[^\W\d_][^:\n]{{0,30}}):{SPACE}(?P<text>.*)", re.DOTALL)
_QUOTES, _OPENED, _CLOSED = (
    '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02',
    "\u202a\u202b\u2066\u2067\u2068",
    "\u202c\u2069",
)
_ANY_MARK = str.maketrans("", "", MARKS)
_HEAD = 160
"""Characters in which the date of a message ends."""
_A_DAY = 24 * 60
_FIRST_LINES, _ENOUGH = 20, 3


class WhatsApp:
    """Reads `4/2/24, 18:05 - Ann: text` (Android) and `[04/02/2024, 18:05:33] Ann: text` (iOS).

    A line without such a start continues the message before it. Notices of the app ("Ann added
    Bob") and left-out media ("<Media omitted>") are messages, so nothing is lost.
    """

    name = "WhatsApp export"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the first line, or 3 of the first 20, begin as WhatsApp's messages do."""
        lines = [line for _, line in file.lines() if line.strip()][:_FIRST_LINES]
        starts = [_header(line) is not None for line in lines]
        return any(starts[:1]) or sum(starts) >= _ENOUGH

    def read(self, file: LogFile) -> Reading:
        """Read the messages; decide the order of day and month from all dates of the file."""
        lines = [(place, line, _header(line)) for place, line in file.lines()]
        stamps = [(place, header[0]) for place, _, header in lines if header]
        order = decide_order(stamps, file.day_first, refuse=True)
        blocks: list[tuple[str, Stamp | None, list[str]]] = []
        for place, line, header in lines:
            if header:
                blocks.append((place, header[0], [header[1]]))
            elif blocks:
                blocks[-1][2].append(line)
            elif line.strip():
                blocks.append((place, None, [line]))
        log_messages = [
            _message(place, stamp, "\n".join(texts), order) for place, stamp, texts in blocks
        ]
        chats = list(_chats([item for item in log_messages if item.message.text]))
        placed = [
            replace(item, chat=f"chat {number}" if len(chats) > 1 else "")
            for number, chat in enumerate(chats, start=1)
            for item in _with_notices(_with_longer_names(chat))
        ]
        dates = [line.removesuffix(header[1]) for _, line, header in lines if header]
        return text_reading(file, placed, dates, order.note)


def _header(line: str) -> tuple[Stamp, str] | None:
    """Return the date of a message's first line and what follows it; None for any other line."""
    places = [at for at, sign in enumerate(line[:_HEAD]) if sign not in MARKS]
    head = "".join(line[at] for at in places)
    opening = _OPENING.match(head)
    start = opening.end() if opening else 0
    stamp = find_stamp(head[start:])
    if stamp is None or stamp.minute is None or not stamp.written[0].isdigit():
        return None
    closing = _IOS if opening and opening["bracket"] else _ANDROID
    closed = closing.match(head, start + stamp.end)
    if closed is None or head.startswith("<", closed.end()):  # as IRC writes a speaker
        return None
    return stamp, line[places[closed.end() - 1] + 1 :]


def _message(place: str, stamp: Stamp | None, rest: str, order: DayOrder) -> LogMessage:
    match = _SAID.fullmatch(rest)
    speaker, text = ("", rest)
    if match and _is_balanced(match["speaker"]):
        speaker, text = match["speaker"].translate(_ANY_MARK).strip(), match["text"]
    point = order.point(stamp) if stamp else None
    return message_at(place, speaker, text.strip(), point, stamp.written if stamp else "")


def _is_balanced(name: str) -> bool:
    """Tell whether all quotation marks in a name are closed; if not, it is part of a notice."""
    opened, closed = (sum(name.count(mark) for mark in marks) for marks in (_OPENED, _CLOSED))
    return opened == closed and not sum(name.count(mark) for mark in _QUOTES) % 2


def _chats(log_messages: list[LogMessage]) -> Iterator[list[LogMessage]]:
    """Yield the chats of a file: a repeat of the first notice, or an earlier day, starts a new one.

    Within one chat, clocks and time zones move the times back by less than a day.
    """
    chat: list[LogMessage] = []
    last = -inf
    for item in log_messages:
        minute = item.message.time.first_minute if item.message.time else last
        notice = log_messages[0].message
        repeated = _is_notice(notice) and item.message.text == notice.text
        if chat and (minute < last - _A_DAY or (repeated and item is not log_messages[0])):
            yield chat
            chat = []
        last = minute
        chat.append(item)
    if chat:
        yield chat


def _is_notice(message: Message) -> bool:
    return not message.speaker or message.text.startswith(tuple(MARKS))


def _with_longer_names(chat: list[LogMessage]) -> list[LogMessage]:
    """Restore speakers with a colon in their name: all their messages begin with the rest of it."""
    of_name: dict[str, list[str]] = {}
    for item in chat:
        match = _LONGER_NAME.fullmatch(item.message.text)
        of_name.setdefault(item.message.speaker, []).append(match["more"] if match else "")
    longer = {
        name: parts[0]
        for name, parts in of_name.items()
        if name and len(parts) > 1 and len(set(parts)) == 1 and parts[0]
    }
    return [_longer(item, longer.get(item.message.speaker, "")) for item in chat]


def _longer(item: LogMessage, more: str) -> LogMessage:
    match = _LONGER_NAME.fullmatch(item.message.text) if more else None
    if match is None:
        return item
    speaker = f"{item.message.speaker}: {more}"
    return replace(item, message=replace(item.message, speaker=speaker, text=match["text"]))


def _with_notices(log_messages: list[LogMessage]) -> list[LogMessage]:
    """Remove invisible marks, and make messages "from" the group itself notices without a speaker.

    iOS writes notices as messages from the group, each after a mark; the first line is a notice.
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
