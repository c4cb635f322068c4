"""`remem data extract`: read a text as a session, and show what is extracted from it.

What another memory keeps of the same text is shown next to them, as in the paper's Example of the
Extraction.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Protocol, runtime_checkable

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError
from remem.files.disk import write_whole
from remem.files.opened import read_text
from remem.files.plain_text import printable
from remem.tables.paper.rows import MEMORIES
from remem.tables.render import in_markdown
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint
from remem.types import Episode, Extraction, Fact, Gist, History, Message

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


@runtime_checkable
class ListsStore(Protocol):
    """A memory that lists its stored items, and the extracted items that it did not store."""

    def kept(self) -> Sequence[str]:
        """Return all stored items, the oldest first."""

    def not_kept(self) -> Sequence[str]:
        """Return the extracted items that the store does not contain verbatim."""


@dataclass(frozen=True, slots=True)
class ExtractionColumn:
    """What one system made of a passage."""

    heading: str
    texts: tuple[str, ...]


def beside_config(overrides: Sequence[str], beside: Sequence[str]) -> RunConfig:
    """Return the configuration of the other memory with its required settings."""
    needed = [
        memory
        for change in beside
        for memory in MEMORIES.get(change.removeprefix("method="), ())
        if change.startswith("method=")
    ]
    return run_config(compose_config([*overrides, *needed, *beside]))


def side_by_side(
    extraction: Extraction, other: RunConfig, episode: Episode
) -> tuple[ExtractionColumn, ...]:
    """Return gists and facts, and what another memory keeps of the same passage.

    Args:
        extraction: What the extractor found.
        other: Names the memory that the passage is given to.
        episode: The passage.

    Raises:
        UsageError: The memory does not list what it keeps.
    """
    memory = other.memory_factory()()
    if not isinstance(memory, ListsStore):
        raise UsageError(f"{other.label} does not list its memories; use method=mem0")
    memory.index(History("passage", (episode,)))
    return (
        ExtractionColumn(
            "REMem gists", tuple(_with_time(gist.text, gist) for gist in extraction.gists)
        ),
        ExtractionColumn(
            "REMem facts", tuple(_with_time(_triple(fact), fact) for fact in extraction.facts)
        ),
        ExtractionColumn(f"{other.label} memories", tuple(memory.kept())),
        ExtractionColumn(
            f"{other.label} extracted, in no memory word for word", tuple(memory.not_kept())
        ),
    )


def show_columns(columns: Sequence[ExtractionColumn]) -> Table:
    """Show the columns side by side, their items numbered."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_lines=True)
    table.add_column("")
    for column in columns:
        table.add_column(f"{column.heading} ({len(column.texts)})", overflow="fold", ratio=1)
    for number, texts in _rows(columns):
        table.add_row(number, *(Text(printable(text)) for text in texts))
    return table


def write_markdown(path: Path, passage: str, columns: Sequence[ExtractionColumn]) -> None:
    """Write the passage and the columns below it."""
    import pandas as pd

    headings = ["", *(f"{in_markdown(column.heading)} ({len(column.texts)})" for column in columns)]
    rows = [[number, *map(in_markdown, texts)] for number, texts in _rows(columns)]
    body = pd.DataFrame(rows, columns=headings).to_markdown(index=False, disable_numparse=True)
    lines = "\n>\n".join(f"> {in_markdown(line)}" for line in passage.splitlines() if line.strip())
    write_whole(path, f"{lines}\n\n{body}\n".encode())


def _rows(columns: Sequence[ExtractionColumn]) -> Iterator[tuple[str, tuple[str, ...]]]:
    texts = zip_longest(*(column.texts for column in columns), fillvalue="")
    yield from ((str(number), row) for number, row in enumerate(texts, start=1))


def _triple(fact: Fact) -> str:
    return f"({fact.subject}, {fact.predicate}, {fact.object})"


def _with_time(text: str, item: Gist | Fact) -> str:
    return f"{text} [{item.when}]" if item.when else text
