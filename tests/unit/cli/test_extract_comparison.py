"""A passage beside another memory: its columns, what it needs besides its name, the file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from remem.cli.extraction import Column, beside_config, show_columns, side_by_side, write_markdown
from remem.cli.main import app
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message

EPISODE = Episode("passage", (Message("1", "Ines", "We rest."),))
FOUND = Extraction(
    gists=(Gist("", "Ines rests.", TimeScope(TimePoint(2022)), "", ("1",)),),
    facts=(Fact("", "Ines", "rows", "the Petrel", None, "", ("1",)),),
)


class Listing:
    """Keeps one line, and nothing of what it is told."""

    def index(self, history: History) -> None:
        self.told = [message.text for message in history.messages()]

    def kept(self) -> Sequence[str]:
        return ["Ines | rests"]

    def not_kept(self) -> Sequence[str]:
        return self.told


class Config:
    """A configuration of one memory."""

    label = "Other"

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    def memory_factory(self) -> Any:
        return lambda: self._memory


def columns(memory: Any) -> tuple[Column, ...]:
    config: Any = Config(memory)
    return side_by_side(FOUND, config, EPISODE)


def test_four_columns_hold_what_both_made_of_the_passage() -> None:
    assert columns(Listing()) == (
        Column("REMem gists", ("Ines rests. [2022]",)),
        Column("REMem facts", ("(Ines, rows, the Petrel)",)),
        Column("Other memories", ("Ines | rests",)),
        Column("Other extracted, in no memory word for word", ("We rest.",)),
    )


def test_the_file_has_the_passage_and_a_row_for_each_item(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    write_markdown(path, "Date: 2022\n\nInes: We <rest>.\n", columns(Listing()))
    quoted, table = path.read_text().split("\n\n")
    assert quoted == "> Date: 2022\n>\n> Ines: We &lt;rest&gt;."
    heading, _, row = table.splitlines()
    assert "Other memories (1)" in heading
    assert "Ines \\| rests" in row and "(Ines, rows, the Petrel)" in row


def test_the_terminal_shows_all_items_as_they_are() -> None:
    console = Console(width=140)
    with console.capture() as printed:
        console.print(show_columns((Column("a", ("[bold] x", "y")), Column("b", ()))))
    assert "[bold] x" in printed.get() and "a (2)" in printed.get() and "b (0)" in printed.get()


def test_a_memory_that_lists_nothing_is_refused() -> None:
    done = CliRunner().invoke(
        app, ["extract", "-", "extractor=rules", "--beside", "method=bm25_messages"], input="Hi."
    )
    assert isinstance(done.exception, UsageError)
    assert "BM25 does not list its memories; use method=mem0" in str(done.exception)
    lone = CliRunner().invoke(app, ["extract", "-", "--out", "x.md"], input="Hi.")
    assert "--out needs --beside" in str(lone.exception)


def test_the_other_memory_gets_what_it_needs_and_what_is_said_of_it() -> None:
    shared = ("llm=loopback-stub", "extractor=llm")
    config = beside_config(shared, ("method=mem0", "method.build.top_k=3"))
    assert isinstance(config, RunConfig)
    assert config.resolved["llm"]["build"]["endpoint"]["json_mode"] == "object"
    assert config.resolved["method"]["build"]["top_k"] == 3
    pinned = beside_config(shared, ("method=mem0", "llm.build.endpoint.json_mode=text"))
    assert pinned.resolved["llm"]["build"]["endpoint"]["json_mode"] == "text"


@pytest.mark.parametrize("change", ["method.label=mem0", "reader=direct"])
def test_other_overrides_bring_nothing_along(change: str) -> None:
    plain = beside_config(("llm=loopback-stub",), (change,))
    assert plain.resolved["llm"]["build"]["endpoint"]["json_mode"] == "schema"
