"""Telegram's HTML export: messages.html, messages2.html and so on."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from remem.apps.own_log.logs.instants import read_instant
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, Record, message_at
from remem.apps.own_log.logs.stamps import find_stamp
from remem.time_scope import TimePoint

_LEFT_OUT = frozenset({"userpic_wrap", "initials", "pull_right"})
_NOT_SHOWN = frozenset({"title", "script", "style"})
_PAGE = re.compile(r"<div class=\"message (?:default|service)")


@dataclass(slots=True)
class _Open:
    """A message whose end has not been read yet."""

    line: int
    depth: int
    service: bool
    joined: bool
    title: str = ""
    speaker: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


class TelegramPage:
    """Reads the messages and notices of a page.

    A message with the CSS class "joined" has no sender on the page: it has the same sender as the
    message before it.
    """

    name = "Telegram page"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the page has blocks of messages as Telegram writes them."""
        return _PAGE.search(file.text) is not None

    def read(self, file: LogFile) -> Reading:
        """Read the messages, with the local times that the page shows on hover."""
        parser = _Page()
        parser.feed(file.text)
        parser.close()
        parser.end_message()
        chat = " ".join("".join(parser.header).split())
        records = tuple(map(Record, _messages(parser.found, file, chat)))
        source = tuple((f"{file.path}:{line}", text) for line, text in parser.texts)
        return Reading(records, source)


def _messages(open_messages: list[_Open], file: LogFile, chat: str) -> list[LogMessage]:
    speaker, time, date = "", None, ""
    messages = []
    for item in open_messages:
        lines = map(str.strip, "".join(item.text).splitlines())
        text = "\n".join(line for line in lines if line)
        if item.service:
            point = _point(text) or time
        else:
            own = " ".join("".join(item.speaker).split())
            speaker = own if own or not item.joined else speaker
            point = _point(item.title) or time
        time, date = point, item.title or date
        if text:
            name, author = "" if item.service else speaker, " ".join("".join(item.author).split())
            if author:  # the message is by the person whom it was forwarded from
                name, text = author, f"{text}\n[forwarded by {speaker}]"
            place = f"{file.path}:{item.line}"
            messages.append(message_at(place, name, text, time, date, chat=chat))
    return messages


def _point(text: str) -> TimePoint | None:
    stamp = find_stamp(text)
    return stamp.point(day_first=True) if stamp else read_instant(text)


class _Page(HTMLParser):
    """Collects messages from nested blocks, which are recognised by their CSS classes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Open] = []
        self.header: list[str] = []
        self.texts: list[tuple[int, str]] = []
        self._message: _Open | None = None
        self._classes: list[frozenset[str]] = []
        self._unread = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a block, or add a line break to the open message."""
        if tag == "br" and self._message:
            self._message.text.append("\n")
        given = {name: value or "" for name, value in attrs}
        classes = frozenset(given.get("class", "").split())
        if tag in _NOT_SHOWN or (tag == "span" and "date" in classes) or "pagination" in classes:
            self._unread = self._unread or tag
        if tag != "div":
            return
        self._classes.append(classes)
        if "message" in classes:
            self.end_message()
            line, _ = self.getpos()
            self._message = _Open(
                line, len(self._classes), "service" in classes, "joined" in classes
            )
        elif self._message and "date" in classes and not self._message.title:
            self._message.title = given.get("title", "")
        elif self._message:
            self._message.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Close a block; if it is the block of the open message, end the message too."""
        if tag == self._unread:
            self._unread = ""
        if tag != "div" or not self._classes:
            return
        if self._message and len(self._classes) == self._message.depth:
            self.end_message()
        self._classes.pop()

    def handle_data(self, data: str) -> None:
        """Add text to the open message: to its sender, its original author or its text."""
        inner = self._classes[self._message.depth :] if self._message else []
        if self._unread or any(classes & _LEFT_OUT for classes in inner):
            return
        if data.strip():
            self.texts.append((self.getpos()[0], data))
        if self._message is None:
            if any("page_header" in classes for classes in self._classes):
                self.header.append(data)
            return
        is_author = any("forwarded" in classes for classes in inner) and "from_name" in inner[-1]
        if is_author:
            self._message.author.append(data)
            return
        is_name = bool(inner) and "from_name" in inner[-1] and not self._message.speaker
        (self._message.speaker if is_name else self._message.text).append(data)

    def end_message(self) -> None:
        """Keep the open message, if there is one, and close it."""
        if self._message:
            self.found.append(self._message)
        self._message = None
