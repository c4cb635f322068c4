"""A reader that adds absolute dates, "yesterday (7 May 2023)", before another reader runs.

It changes only passages; the gists and facts of a memory already have dates.
"""

import re
from dataclasses import replace
from functools import lru_cache

from remem.protocols import Reader
from remem.temporal.dates import parse_point
from remem.temporal.relative_dates import resolve_relative
from remem.types import Answer, Evidence, Query

_DATED_LINE = re.compile(r"^\[([^\]\n]*)\](.*)$", re.MULTILINE)


class ResolvingReader:
    """Passes evidence to another reader, with absolute dates added to its passages."""

    def __init__(self, *, reader: Reader) -> None:
        self._reader = reader

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        passages = tuple(
            replace(passage, text=with_dates(passage.text)) for passage in evidence.passages
        )
        return self._reader.read(query, replace(evidence, passages=passages))


@lru_cache(maxsize=1 << 15)
def with_dates(text: str) -> str:
    """Add the absolute date in parentheses after each relative date of a dated line.

    >>> with_dates("[1:56 pm on 8 May, 2023] Ann: I ran yesterday.")
    '[1:56 pm on 8 May, 2023] Ann: I ran yesterday (7 May 2023).'
    """
    return _DATED_LINE.sub(lambda line: f"[{line[1]}]{_resolved(line[2], line[1])}", text)


def _resolved(said: str, date: str) -> str:
    for found in reversed(resolve_relative(said, parse_point(date))):
        said = f"{said[: found.end]} ({found.phrase}){said[found.end :]}"
    return said
