"""What LoCoMo and REALTALK share: sessions as `session_<n>` keys beside others, and their dates."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from remem.benchmarks.json_fields import field
from remem.time_scope import TimePoint

# Whole keys only: session_1_date_time, session_1_summary and session_1_observation lie beside it.
SESSION_KEY = re.compile(r"session_([0-9]{1,9})")


def numbered_sessions(chat: Mapping[str, Any], where: str) -> Iterator[tuple[str, list[Any]]]:
    """Iterate over the keys and raw messages of the sessions, by number.

    The keys of the sessions count, not those of the dates: some dates have no session.
    """
    keys = [match for key in chat if (match := SESSION_KEY.fullmatch(key))]
    for match in sorted(keys, key=lambda match: int(match[1])):
        yield match[0], field(chat, match[0], list, where)


def parse_time(text: str, layout: str, where: str) -> TimePoint:
    """Parse a date that must have the layout (of `strptime`), to the minute."""
    try:
        return TimePoint.from_datetime(datetime.strptime(text, layout))
    except ValueError as error:
        raise ValueError(f"{where} is dated {text!r}, expected the form {layout!r}") from error
