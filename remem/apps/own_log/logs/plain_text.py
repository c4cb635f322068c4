"""Plain text: each line is a message, with the date at its start or on an earlier line."""

import re

from remem.apps.own_log.logs.dated_lines import has_unread_date, line_date
from remem.apps.own_log.logs.day_order import decide_order
from remem.apps.own_log.logs.log import LogFile, LogMessage, Reading, message_at, text_reading
from remem.apps.own_log.logs.stamps import MARKS
from remem.time_scope import TimePoint

_SAID = re.compile(
    r"<?(?P<speaker>[^\W\d_][\w .'\u2019-]{0,40}?(?:\([\w .-]{1,20}\))?)(?:>:?|:)\s+"
    r"(?P<text>.*\S)"
)


class PlainText:
    """Reads each line as a message `Ann: text`, or as a statement without a speaker.

    A line such as "Date: 8 May 2023" or "Sunday, 4 February 2024" dates the lines after it; a date
    at the start of a line dates that line too.
    """

    name = "plain text"

    def fits(self, file: LogFile) -> bool:
        """Tell whether the file is text other than JSON."""
        return file.document is None

    def read(self, file: LogFile) -> Reading:
        """Read the messages; decide the order of day and month from all dates of the file."""
        lines = [(place, line.strip(), line_date(line)) for place, line in file.lines()]
        stamps = [(place, dated.stamp) for place, _, dated in lines if dated and dated.stamp]
        order = decide_order(stamps, file.day_first)
        time: TimePoint | None = None
        date = ""
        log_messages, dates, unread = list[LogMessage](), list[str](), list[str]()
        for place, whole, dated in lines:
            point = dated.decided(order) if dated else None
            line = whole
            if dated and point:
                time, date, line = point, dated.written, dated.rest.strip()
                dates.append(dated.before(whole))
            elif has_unread_date(line):
                time, date, line = None, "", ""
                dates.append(whole)
                unread.append(place)
            if line.strip(MARKS):
                log_messages.append(parse_line(place, line, time, date))
        notes = [
            f"the date at {each} cannot be read, so the lines after it have no date"
            for each in unread
        ]
        return text_reading(file, log_messages, dates, order.note, *notes[:1])


def parse_line(place: str, line: str, time: TimePoint | None, date: str) -> LogMessage:
    """Return the message of a line; only a line such as "Ann: We moved." has a speaker."""
    match = _SAID.fullmatch(line)
    speaker, words = (match["speaker"], match["text"]) if match else ("", line)
    return message_at(place, speaker, words, time, date)
