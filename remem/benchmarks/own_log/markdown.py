"""Markdown diaries: headings with dates, and paragraphs and list items as messages."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from remem.benchmarks.own_log.dated_lines import LineDate, line_date
from remem.benchmarks.own_log.day_order import decide_order
from remem.benchmarks.own_log.log import LogFile, LogMessage, Reading, message_at
from remem.benchmarks.own_log.stamps import find_stamp
from remem.time_scope import TimePoint

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
_BOLD_NAME = re.compile(r"\*\*(?P<name>[^*:\n]{1,40}):?\*\*:?\s+(?P<text>.*)", re.DOTALL)
_NAME = re.compile(
    r"(?P<name>[^\W\d_][\w.'\u2019-]*(?: [\w.'\u2019-]+){0,2}):\s+(?P<text>.*)", re.DOTALL
)
_FIELD = re.compile(r"date:", re.IGNORECASE)
SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, list item or heading, or the date that holds from here on."""

    place: str
    text: str
    date: LineDate | None = None
    is_heading: bool = False


class Markdown:
    """Reads a dated heading ("## 4 February 2024", "# Sun, Feb 4, 2024 - Rome") as the day.

    What a heading says besides its date is a message. A file whose name starts with a date, as in
    daily notes, has that day until a heading says another.
    """

    name = "Markdown"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the name of the file says so, or headings in it have dates."""
        found = (_HEADING.fullmatch(line) for _, line in file.lines())
        dates = (line_date(_title(heading)) for heading in found if heading)
        return file.path.suffix.lower() in SUFFIXES or any(dates)

    def read(self, file: LogFile) -> Reading:
        """Read the messages; the day order is decided by the whole file."""
        blocks = list(_blocks(file))
        stamps = [block.date.stamp for block in blocks if block.date and block.date.stamp]
        order = decide_order(stamps, file.day_first)
        names = _names(blocks)
        time, date = _first_day(file, blocks, order.day_first)
        found: list[LogMessage] = []
        for block in blocks:
            point = block.date.decided(day_first=order.day_first) if block.date else None
            if block.date and point:
                time, date = point, block.date.written
            text = block.date.rest.strip() if block.date and point else block.text
            if any(sign.isalnum() for sign in text):
                found.append(_said(block.place, text, time, date, names))
        return Reading(tuple(found), (order.note,) if order.note else ())


def _blocks(file: LogFile) -> Iterator[_Block]:
    """Yield paragraphs, list items and headings; lines that are wrapped stay together."""
    place, lines = "", list[str]()
    for at, line in file.lines():
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        alone = heading or _FIELD.match(line) or _is_date(line)
        if lines and (alone or item or not line.strip()):
            yield _Block(place, "\n".join(lines).strip())
            lines = []
        if alone:
            text = _title(heading) if heading else line.strip().strip("*_")
            yield _Block(at, text, line_date(text), heading is not None)
        elif line.strip():
            place = place if lines else at
            lines.append(item["text"] if item else line)
    if lines:
        yield _Block(place, "\n".join(lines).strip())


def _title(heading: re.Match[str]) -> str:
    return heading["text"].strip().rstrip("#").rstrip()


def _is_date(line: str) -> bool:
    """Tell whether a line is a date and nothing else, bold or not."""
    dated = line_date(line.strip().strip("*_"))
    return dated is not None and not dated.rest.strip("*_ ")


def _first_day(
    file: LogFile, blocks: list[_Block], day_first: bool
) -> tuple[TimePoint | None, str]:
    """Return the date in the file's name, else, for a title alone, the date that follows it."""
    stamp = find_stamp(file.path.stem)
    point = stamp.point(day_first=day_first) if stamp else None
    if stamp and point:
        return point, stamp.written
    following = blocks[1].date if len(blocks) > 1 and blocks[0].is_heading else None
    point = following.decided(day_first=day_first) if following else None
    return (point, following.written) if following and point else (None, "")


def _names(blocks: list[_Block]) -> frozenset[str]:
    """Return the names that stand before a colon at least twice: speakers, not just a word."""
    counts = Counter(found["name"] for block in blocks if (found := _NAME.fullmatch(block.text)))
    return frozenset(name for name, count in counts.items() if count > 1)


def _said(
    place: str, text: str, time: TimePoint | None, date: str, names: frozenset[str]
) -> LogMessage:
    bold, plain = _BOLD_NAME.fullmatch(text), _NAME.fullmatch(text)
    if bold and (":" in text[: bold.start("text")]):
        return message_at(place, bold["name"], bold["text"].strip() or text, time, date)
    if plain and plain["name"] in names:
        return message_at(place, plain["name"], plain["text"].strip() or text, time, date)
    return message_at(place, "", text, time, date)
