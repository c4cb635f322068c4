"""`remem log ask --json` prints one JSON object on stdout; messages for people go to stderr."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from remem.cli.main import app

Ask = Callable[..., Result]
DIARY = Path(__file__).parents[3] / "examples/own_log/diary.txt"


@pytest.fixture
def ask() -> Ask:
    """Call the command."""
    return lambda *words: CliRunner().invoke(app, [*map(str, words)])


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_ask_prints_the_answer_and_what_was_added(ask: Ask, tmp_path: Path) -> None:
    question = "When did Ann adopt a dog?"
    asked = ask("log", "ask", tmp_path / "m", question, "--add", DIARY, "--json")
    found = printed(asked)
    assert found["added"] == [{"path": str(DIARY), "format": "plain text", "messages": 6, "new": 6}]
    told = found["answered"]
    assert told["answer"] == "We adopted a dog on Friday, she is called Pixel."
    assert told["when"] == '2 June 2023 ("on Friday")'
    assert told["evidence"] is None
    assert "6 messages, 2 speakers" in asked.stderr
    shown = printed(ask("log", "ask", tmp_path / "m", question, "--evidence", "--json"))
    assert (shown["added"], len(shown["answered"]["evidence"]["gists"]) > 0) == ([], True)
    only_added = printed(ask("log", "ask", tmp_path / "n", "--add", DIARY, "--json"))
    assert only_added["answered"] is None


def test_what_a_log_holds_cannot_steer_the_terminal(ask: Ask, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("2024-02-04: Ann bought a \x9b2J\u202e red \x1b[31m boat in Oslo.\n", "utf-8")
    result = ask("log", "ask", tmp_path / "m", "What did Ann buy in Oslo?", "--add", log, "--json")
    assert result.stdout.isascii()
    assert result.stdout.replace("\n", "").isprintable()
    assert "\u202e" in printed(result)["answered"]["answer"]
