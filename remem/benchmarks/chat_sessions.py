"""Code shared by LoCoMo and REALTALK: sessions under `session_<n>` keys, and their dates."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from remem.benchmarks.json_fields import field
from remem.time_scope import TimePoint

# Match whole keys, because there are also session_1_date_time, session_1_summary and others.
SESSION_KEY = re.compile(r"session_([0-9]{1,9})")


def numbered_sessions(chat: Mapping[str, Any], where: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the key and the raw messages of each session, by number.

    Only the keys of sessions are used, because some dates have no session.
    """
    keys = [match for key in chat if (match := SESSION_KEY.fullmatch(key))]
    for match in sorted(keys, key=lambda match: int(match[1])):
        yield match[0], field(chat, match[0], list, where)


def parse_time(text: str, layout: str, where: str) -> TimePoint:
    """Parse a date in a `strptime` layout, to the minute; raise ValueError for any other text."""
    try:
        return TimePoint.from_datetime(datetime.strptime(text, layout))
    except ValueError as error:
        raise ValueError(f"{where} is dated {text!r}, expected the form {layout!r}") from error
