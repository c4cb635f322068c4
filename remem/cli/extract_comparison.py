"""Show what REMem's extractor and another memory make of a passage, side by side.

Paper, Example of the Extraction: gists and facts, and what Mem0 keeps of the same passage.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Protocol, runtime_checkable

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError
from remem.files.plain_text import printable
from remem.files.whole_file import write_whole
from remem.tables.paper.rows import MEMORIES
from remem.tables.render import in_markdown
from remem.types import Episode, Extraction, Fact, Gist, History


@runtime_checkable
class ListsStore(Protocol):
    """A memory that lists its stored items, and the extracted items that it did not store."""

    def kept(self) -> Sequence[str]:
        """Return all stored items, the oldest first."""

    def not_kept(self) -> Sequence[str]:
        """Return the extracted items that the store does not contain verbatim."""


@dataclass(frozen=True, slots=True)
class Column:
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


def side_by_side(found: Extraction, other: RunConfig, episode: Episode) -> tuple[Column, ...]:
    """Return gists and facts, and what another memory keeps of the same passage.

    Args:
        found: What the extractor found.
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
        Column("REMem gists", tuple(_written(gist.text, gist) for gist in found.gists)),
        Column("REMem facts", tuple(_written(_triple(fact), fact) for fact in found.facts)),
        Column(f"{other.label} memories", tuple(memory.kept())),
        Column(f"{other.label} extracted, in no memory word for word", tuple(memory.not_kept())),
    )


def show_columns(columns: Sequence[Column]) -> RichTable:
    """Show the columns side by side, their items numbered."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_lines=True)
    table.add_column("")
    for column in columns:
        table.add_column(f"{column.heading} ({len(column.texts)})", overflow="fold", ratio=1)
    for number, texts in _rows(columns):
        table.add_row(number, *(Text(printable(text)) for text in texts))
    return table


def write_markdown(path: Path, passage: str, columns: Sequence[Column]) -> None:
    """Write the passage and the columns below it."""
    import pandas as pd

    headings = ["", *(f"{in_markdown(column.heading)} ({len(column.texts)})" for column in columns)]
    rows = [[number, *map(in_markdown, texts)] for number, texts in _rows(columns)]
    body = pd.DataFrame(rows, columns=headings).to_markdown(index=False, disable_numparse=True)
    lines = "\n>\n".join(f"> {in_markdown(line)}" for line in passage.splitlines() if line.strip())
    write_whole(path, f"{lines}\n\n{body}\n".encode())


def _rows(columns: Sequence[Column]) -> Iterator[tuple[str, tuple[str, ...]]]:
    texts = zip_longest(*(column.texts for column in columns), fillvalue="")
    yield from ((str(number), row) for number, row in enumerate(texts, start=1))


def _triple(fact: Fact) -> str:
    return f"({fact.subject}, {fact.predicate}, {fact.object})"


def _written(text: str, item: Gist | Fact) -> str:
    return f"{text} [{item.when}]" if item.when else text
