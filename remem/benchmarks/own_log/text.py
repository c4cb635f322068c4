"""A plain text as messages: a line each, dated by the lines "Date: ..." that stand before them."""

import re
from collections.abc import Iterator

from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint
from remem.types import Message

_SAID = re.compile(r"(?P<speaker>[^\W\d_][\w .'-]{0,40}?):\s+(?P<text>.*\S)")
_DATE = re.compile(r"(?:Date:\s*)?(?P<date>.+)", re.IGNORECASE)


def read_lines(text: str) -> Iterator[Message]:
    """Yield the messages, numbered from 1.

    A line that is a date ("Date: 8 May 2023, 1:56 pm") dates those that follow it; a line such as
    "Ann: We moved." has a speaker, any other is a statement.
    """
    time: TimePoint | None = None
    number, date = 0, ""
    for line in filter(None, map(str.strip, text.splitlines())):
        stated = _DATE.fullmatch(line)
        if stated and (point := parse_point(stated["date"])):
            time, date = point, stated["date"]
            continue
        number += 1
        said = _SAID.fullmatch(line)
        speaker, words = (said["speaker"], said["text"]) if said else ("", line)
        yield Message(str(number), speaker, words, time, date)
