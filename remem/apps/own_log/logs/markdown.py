"""Markdown diaries: headings with dates, and paragraphs and list items as messages."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from remem.apps.own_log.logs.dated_lines import LineDate, line_date, yearless_date
from remem.apps.own_log.logs.day_order import DayOrder, decide_order
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at, text_reading
from remem.apps.own_log.logs.stamps import find_stamp
from remem.time_scope import TimePoint

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
_BOLD_NAME = re.compile(r"\*\*(?P<name>[^*:\n]{1,40}):?\*\*:?\s+(?P<text>.*)", re.DOTALL)
_NAME = re.compile(
    r"(?P<name>[^\W\d_][\w.'\u2019-]*(?: [\w.'\u2019-]+){0,2}):\s+(?P<text>.*)", re.DOTALL
)
_FIELD = re.compile(r"date:", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_JANUARY, _DECEMBER = 1, 12
_LEAP_YEAR = 2024
SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, list item or heading; `date` is the date that applies from here on.

    `mark` is the text before a list item, such as "1. [x]".
    """

    place: str
    text: str
    date: LineDate | None = None
    is_heading: bool = False
    mark: str = ""


class Markdown:
    """Reads diaries whose headings are dates ("## 4 February 2024", "# Sun, Feb 4, 2024 - Rome").

    Text after the date in a heading is a message. If the file name starts with a date, as for daily
    notes, this date applies until the first heading with a date.
    """

    name = "Markdown"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file has the suffix of Markdown, or a heading with a date."""
        headings = (_HEADING.fullmatch(line) for _, line in file.lines())
        dates = (line_date(_title(heading)) for heading in headings if heading)
        return file.path.suffix.lower() in SUFFIXES or any(dates)

    def read(self, file: LogFile) -> Reading:
        """Read the messages; decide the order of day and month from all dates of the file."""
        blocks = list(_blocks(file))
        dates = ((block.place, block.date) for block in blocks if block.date)
        stamps = [(place, date.stamp) for place, date in dates if date.stamp]
        order = decide_order(stamps, file.day_first)
        names = _names(blocks)
        time, date = _first_day(file, blocks, order)
        blocks, note = _with_years(blocks, time, order)
        log_messages, besides = list[LogMessage](), [block.mark for block in blocks]
        for block in blocks:
            point = block.date.decided(order) if block.date else None
            if block.date and point:
                time, date = point, block.date.written
                besides.append(block.date.before(block.text))
            text = block.date.rest.strip() if block.date and point else block.text
            if any(sign.isalnum() for sign in text):
                log_messages.append(_parse_message(block.place, text, time, date, names))
        return text_reading(file, log_messages, besides, order.note, note)


def _blocks(file: LogFile) -> Iterator[_Block]:
    """Yield paragraphs, list items and headings, each with all its lines."""
    place, mark, lines = "", "", list[str]()
    for at, line in file.lines():
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        alone = heading or _FIELD.match(line) or _is_date(line)
        if lines and (alone or item or not line.strip()):
            yield _Block(place, "\n".join(lines).strip(), mark=mark)
            lines = []
        if alone:
            text = _title(heading) if heading else line.strip().strip("*_")
            yield _Block(at, text, line_date(text), heading is not None)
        elif line.strip():
            place = place if lines else at
            mark = line[: item.start("text")] if item else mark if lines else ""
            lines.append(item["text"] if item else line)
    if lines:
        yield _Block(place, "\n".join(lines).strip(), mark=mark)


def _title(heading: re.Match[str]) -> str:
    return heading["text"].strip().rstrip("#").rstrip()


def _is_date(line: str) -> bool:
    """Tell whether a line is a date and nothing else, bold or not."""
    dated = line_date(line.strip().strip("*_"))
    return dated is not None and not dated.rest.strip("*_ ")


def _first_day(
    file: LogFile, blocks: list[_Block], order: DayOrder
) -> tuple[TimePoint | None, str]:
    """Return the date in the file's name, else that of the block below the title, or None."""
    stamp = find_stamp(file.path.stem)
    point = order.point(stamp) if stamp else None
    if stamp and point:
        return point, stamp.written
    following = blocks[1].date if len(blocks) > 1 and blocks[0].is_heading else None
    point = following.decided(order) if following else None
    return (point, following.written) if following and point else (None, "")


def _with_years(
    blocks: list[_Block], first: TimePoint | None, order: DayOrder
) -> tuple[list[_Block], str]:
    """Add the year to headings such as "## 2 March"; return all blocks, and a note about it.

    The year is that of the date or title above ("# Diary 2024"), else of the first one below.
    January after December is in the next year. Without any year, the headings stay undated.
    """
    points = [block.date.decided(order) if block.date else None for block in blocks]
    year = first.year if first else _first_year(blocks, points)
    if year is None:
        bare = [each.place for each in blocks if each.is_heading and _in_year(each, _LEAP_YEAR, 0)]
        return blocks, _format_undated(bare, "write one above them, such as '# Diary 2024'")
    month = (first.month if first else None) or 0
    dated_blocks, places = list[_Block](), list[str]()
    for block, point in zip(blocks, points, strict=True):
        dated, title = block, _YEAR.search(block.text) if block.is_heading else None
        if point is None and title:
            year, month = int(title[0]), 0
        elif point is None and block.is_heading and (date := _in_year(block, year, month)):
            dated, point = replace(block, date=date), date.decided(order)  # noqa: PLW2901
            places.append(block.place)
        if point:
            year, month = point.year, point.month or 0
        dated_blocks.append(dated)
    return dated_blocks, _format_undated(
        places, "they are read in the year of the date or title next to them"
    )


def _first_year(blocks: list[_Block], points: list[TimePoint | None]) -> int | None:
    """Return the first year in a date or a heading."""
    for block, point in zip(blocks, points, strict=True):
        title = _YEAR.search(block.text) if block.is_heading else None
        if point or title:
            return point.year if point else int(title[0]) if title else None
    return None


def _in_year(block: _Block, year: int, month: int) -> LineDate | None:
    """Return the date of a heading in this year, or in the next year for January after December."""
    day = yearless_date(block.text, year)
    meant = day.decided(DayOrder(day_first=True)) if day else None
    if meant and (month, meant.month) == (_DECEMBER, _JANUARY):
        return yearless_date(block.text, year + 1)
    return day


def _format_undated(places: list[str], what: str) -> str:
    if not places:
        return ""
    return f"dates in headings without a year: {len(places)}, the first at {places[0]}; {what}"


def _names(blocks: list[_Block]) -> frozenset[str]:
    """Return the names of speakers: those that come before a colon at least twice."""
    counts = Counter(match["name"] for block in blocks if (match := _NAME.fullmatch(block.text)))
    return frozenset(name for name, count in counts.items() if count > 1)


def _parse_message(
    place: str, text: str, time: TimePoint | None, date: str, names: frozenset[str]
) -> LogMessage:
    bold, plain = _BOLD_NAME.fullmatch(text), _NAME.fullmatch(text)
    if bold and (":" in text[: bold.start("text")]):
        return message_at(place, bold["name"], bold["text"].strip() or text, time, date)
    if plain and plain["name"] in names:
        return message_at(place, plain["name"], plain["text"].strip() or text, time, date)
    return message_at(place, "", text, time, date)
