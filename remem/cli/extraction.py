"""`remem data extract`: read a text as a session, and show what is extracted from it."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from remem.files.opened import read_text
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint
from remem.types import Episode, Extraction, Fact, Gist, Message

_MESSAGE = re.compile(r"(?P<speaker>[^\W\d_][\w .'-]{0,40}?):\s+(?P<text>.*\S)")
_DATE = re.compile(r"(?:Date:\s*)?(?P<date>.+)", re.IGNORECASE)


def read_passage(passage: str) -> str:
    """Read a file, or the standard input for "-"."""
    if passage == "-":
        return sys.stdin.read()
    if not Path(passage).is_file():
        raise FileNotFoundError(
            f"no such file: {passage!r}; give a text file, or - for standard input"
        )
    return read_text(Path(passage))


def read_episode(text: str) -> Episode:
    """Read a text as a session, one message per line.

    A line with a date ("Date: 8 May 2023, 1:56 pm") dates the lines after it. A line such as
    "Ann: We moved." has a speaker; any other line is a statement.
    """
    messages: list[Message] = []
    time: TimePoint | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        date = _DATE.fullmatch(line)
        if date and (point := parse_point(date["date"])):
            time = point
            continue
        message = _MESSAGE.fullmatch(line)
        speaker, words = (message["speaker"], message["text"]) if message else ("", line)
        messages.append(Message(str(len(messages) + 1), speaker, words, time))
    if not messages:
        raise ValueError("the passage is empty; expected one message or statement per line")
    return Episode("passage", tuple(messages))


def show_extraction(extraction: Extraction) -> Group:
    """Show gists and facts with their time and the numbers of their messages."""
    gists = _table("gist", ((gist.text, gist) for gist in extraction.gists))
    facts = _table(
        "fact",
        ((f"{fact.subject} | {fact.predicate} | {fact.object}", fact) for fact in extraction.facts),
    )
    return Group(gists, facts)


def _table(title: str, items: Iterable[tuple[str, Gist | Fact]]) -> Table:
    table = Table("", title, "time", "from message", box=box.SIMPLE_HEAD)
    for number, (text, item) in enumerate(items, start=1):
        time = item.when or "undated"
        table.add_row(str(number), Text(text), time, ", ".join(item.source))
    return table
