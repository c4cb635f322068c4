"""`remem data extract`: a text becomes an episode, and what is extracted is shown."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from remem.cli.extraction import (
    ExtractionColumn,
    beside_config,
    read_episode,
    read_passage,
    show_columns,
    show_extraction,
    side_by_side,
    write_markdown,
)
from remem.cli.main import app
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message

SESSION = """
Date: 14 June 2022, 6:20 pm
Ines: We scraped the hull last weekend.
Ravi O'Neill:  Nice: at last!

15 June 2022
E1 was the R2 of E3 from 1990 to 1995.
"""
EPISODE = Episode("passage", (Message("1", "Ines", "We rest."),))
FOUND = Extraction(
    gists=(Gist("", "Ines rests.", TimeScope(TimePoint(2022)), "", ("1",)),),
    facts=(Fact("", "Ines", "rows", "the Petrel", None, "", ("1",)),),
)


def test_lines_become_messages_with_their_speaker_and_date() -> None:
    first, second, third = read_episode(SESSION).messages
    assert (first.speaker, first.text) == ("Ines", "We scraped the hull last weekend.")
    assert (second.speaker, second.text) == ("Ravi O'Neill", "Nice: at last!")
    assert (third.speaker, third.text) == ("", "E1 was the R2 of E3 from 1990 to 1995.")
    assert first.time == second.time == TimePoint(2022, 6, 14, 18 * 60 + 20)
    assert third.time == TimePoint(2022, 6, 15)
    assert [message.id for message in (first, second, third)] == ["1", "2", "3"]


@pytest.mark.parametrize("text", ["", " \n\n", "Date: 14 June 2022\n"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the passage is empty"):
        read_episode(text)


def test_a_text_comes_from_a_file_or_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "session.txt"
    path.write_text(SESSION, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("Ann: hi"))
    assert (read_passage(str(path)), read_passage("-")) == (SESSION, "Ann: hi")
    with pytest.raises(FileNotFoundError, match="no such file: 'nosuch'"):
        read_passage("nosuch")


def test_gists_and_facts_are_shown_as_they_are() -> None:
    found = Extraction(
        gists=(Gist("", "[bold] Ines rests.", TimeScope(TimePoint(2022)), "", ("1", "2")),),
        facts=(Fact("", "Ines", "rows", "the Petrel", None, "", ("2",)),),
    )
    console = Console(file=io.StringIO(), width=100)
    console.print(show_extraction(found))
    shown = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "[bold] Ines rests." in shown
    assert "2022" in shown and "1, 2" in shown
    assert "Ines | rows | the Petrel" in shown and "undated" in shown


def test_the_command_needs_no_key_with_the_rules() -> None:
    done = CliRunner().invoke(app, ["data", "extract", "-", "extractor=rules"], input=SESSION)
    assert done.exit_code == 0
    assert "2022-06-11/2022-06-12" in done.output
    assert "E1 | R2 | E3" in done.output


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


def columns(memory: Any) -> tuple[ExtractionColumn, ...]:
    config: Any = Config(memory)
    return side_by_side(FOUND, config, EPISODE)


def test_four_columns_hold_what_both_made_of_the_passage() -> None:
    assert columns(Listing()) == (
        ExtractionColumn("REMem gists", ("Ines rests. [2022]",)),
        ExtractionColumn("REMem facts", ("(Ines, rows, the Petrel)",)),
        ExtractionColumn("Other memories", ("Ines | rests",)),
        ExtractionColumn("Other extracted, in no memory word for word", ("We rest.",)),
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
        console.print(
            show_columns((ExtractionColumn("a", ("[bold] x", "y")), ExtractionColumn("b", ())))
        )
    assert "[bold] x" in printed.get() and "a (2)" in printed.get() and "b (0)" in printed.get()


def test_a_memory_that_lists_nothing_is_refused() -> None:
    done = CliRunner().invoke(
        app,
        ["data", "extract", "-", "extractor=rules", "--beside", "method=bm25_messages"],
        input="Hi.",
    )
    assert isinstance(done.exception, UsageError)
    assert "BM25 does not list its memories; use method=mem0" in str(done.exception)
    lone = CliRunner().invoke(app, ["data", "extract", "-", "--out", "x.md"], input="Hi.")
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
