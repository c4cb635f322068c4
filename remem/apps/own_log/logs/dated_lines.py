"""Find the dates of lines in plain text and Markdown, such as diaries and simple chat logs."""

import re
from dataclasses import dataclass, replace

from remem.apps.own_log.logs.day_order import DayOrder
from remem.apps.own_log.logs.stamps import MARKS, SPACE, Stamp, find_stamp
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint

_LABEL = re.compile(rf"(?:date|day|datum|fecha|data){SPACE}*:{SPACE}*", re.IGNORECASE)
_AFTER = re.compile(rf"\]?{SPACE}*(?:[:|,;\u2013\u2014-]+(?={SPACE}|$))?{SPACE}*")
_SEPARATED = re.compile(rf"\]|{SPACE}*(?:[:|;\u2013\u2014-](?={SPACE}|$)|,{SPACE}*$|$)")
_YEARLESS = re.compile(
    rf"(?:[^\W\d_]+\.?,?{SPACE}+)??"  # a weekday
    rf"(?:\d\d?(?:st|nd|rd|th|er|º|ª)?\.?{SPACE}(?:(?:of|de){SPACE})?[^\W\d_]+"
    rf"|[^\W\d_]+\.?{SPACE}\d\d?(?:st|nd|rd|th)?)(?![\w.]|{SPACE}*,?{SPACE}*\d)"
)


@dataclass(frozen=True, slots=True)
class LineDate:
    """The date of a line, and the rest of the line.

    If the order of day and month may still be undecided, `stamp` is set; otherwise `point` is set.
    """

    written: str
    rest: str
    stamp: Stamp | None = None
    point: TimePoint | None = None

    def decided(self, order: DayOrder) -> TimePoint | None:
        """Read the date in this order of day and month; return None if there is no such date."""
        return order.point(self.stamp) if self.stamp else self.point

    def before(self, line: str) -> str:
        """Return the start of the line, up to `rest`: the label and the date."""
        return line.strip(f" \t{MARKS}").removesuffix(self.rest)


def has_unread_date(line: str) -> bool:
    """Return whether a line without a valid date seems to have one, such as "Date: 31/02/2024"."""
    bare = line.strip(f" \t{MARKS}")
    labelled = _LABEL.match(bare)
    return labelled is not None and bare[labelled.end() : labelled.end() + 1].isdecimal()


def line_date(line: str) -> LineDate | None:
    """Return the date at the start of a line; None if there is none.

    If more text follows, the date counts only if it consists of numbers, or if a clock time, a
    colon, a dash or a bracket ends it: in "8 May 2023 was warm" the date is part of the sentence.
    """
    bare = line.strip(f" \t{MARKS}")
    labelled = _LABEL.match(bare)
    body = bare[labelled.end() :] if labelled else bare
    opened = body.startswith("[")
    text = body.removeprefix("[")
    stamp = find_stamp(text)
    if stamp is not None and _ends(stamp, text, opened):
        after = _AFTER.match(text, stamp.end)
        rest = text[after.end() if after else stamp.end :]
        return LineDate(stamp.written, rest, stamp=stamp)
    point = parse_point(body)
    return LineDate(body, "", point=point) if point else None


def yearless_date(line: str, year: int) -> LineDate | None:
    """Return the date of a line such as "2 March - Rome" in a given year; None without a date.

    In the result, `written` is the date as in the line, without the year.
    """
    bare = line.strip(f" \t{MARKS}")
    day = _YEARLESS.match(bare)
    if day is None:
        return None
    in_that_year = line_date(f"{day[0]} {year}{bare[day.end() :]}")
    return replace(in_that_year, written=day[0]) if in_that_year else None


def _ends(stamp: Stamp, text: str, opened: bool) -> bool:
    if opened != text.startswith("]", stamp.end):
        return False
    numbers_alone = not any(sign.isalpha() for sign in stamp.written.replace("T", ""))
    spaced = text[stamp.end : stamp.end + 1].isspace()
    if spaced and (stamp.minute is not None or (numbers_alone and stamp.year >= 1000)):
        return True
    return _SEPARATED.match(text, stamp.end) is not None
