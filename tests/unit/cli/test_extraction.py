"""`remem data extract` makes an episode of a text and shows what is extracted from it."""

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from remem.cli.extraction import read_episode, read_passage, show_extraction
from remem.cli.main import app
from remem.time_scope import TimePoint, TimeScope
from remem.types import Extraction, Fact, Gist

SESSION = """
Date: 14 June 2022, 6:20 pm
Ines: We scraped the hull last weekend.
Ravi O'Neill:  Nice: at last!

15 June 2022
E1 was the R2 of E3 from 1990 to 1995.
"""


def test_lines_become_messages_with_their_speaker_and_date() -> None:
    first, second, third = read_episode(SESSION).messages
    assert (first.speaker, first.text) == ("Ines", "We scraped the hull last weekend.")
    assert (second.speaker, second.text) == ("Ravi O'Neill", "Nice: at last!")
    assert (third.speaker, third.text) == ("", "E1 was the R2 of E3 from 1990 to 1995.")
    assert first.time == second.time == TimePoint(2022, 6, 14, 18 * 60 + 20)
    assert third.time == TimePoint(2022, 6, 15)
    assert [message.id for message in (first, second, third)] == ["1", "2", "3"]


def test_a_text_without_words_is_refused() -> None:
    for text in (" \n\n", "Date: 14 June 2022\n"):
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
