"""Texts of data, models and strangers are printed without control sequences for the terminal."""

import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from remem.cli import main as cli
from remem.reports.terminal.console import InertRecord, safe_console, say

ROOT = Path(__file__).parents[2]
ATTACKS = (
    "\x1b[2J\x1b[1;1H",  # clears the screen
    "\x1b]0;owned\x07",  # names the window
    "\x1b]52;c;cm0gLXJmIH4=\x07",  # writes to the clipboard
    "\x9b31m",  # the same sequences in one character
    "\rremem: all is well",  # takes the line's place
    "\x08\x08\x08",
    "\u202egnp.exe",  # turns the direction
)
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run the command line in this process; return its code and all that it printed."""
    factory = logging.getLogRecordFactory()
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(cli.gc, "set_threshold", lambda *_: None)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["remem", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        logging.setLogRecordFactory(factory)
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return run


def test_an_error_that_quotes_a_file_is_printed_inert(
    remem: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    code, said = remem("score", str(tmp_path / "\x1b[2Jrun\nremem: all is well"))
    assert code == 2 and "[2Jrun\n  remem: all is well is not a run" in said
    assert not STEERING.search(said), ascii(said)


def test_the_traceback_of_a_bug_is_printed_inert(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(logging, "setLogRecordFactory", Mock())
    bug = KeyError("\x1b[2J")
    bug.add_note("\x1b[2Jremem: all is well")
    monkeypatch.setattr(cli, "app", Mock(side_effect=bug))
    with pytest.raises(KeyError):
        cli.main()
    sys.excepthook(KeyError, bug, None)
    assert "\n  [2Jremem: all" in (said := capsys.readouterr().err)
    record = InertRecord("remem", logging.ERROR, "", 0, "", (), (KeyError, bug, None))
    assert not STEERING.search(said + logging.Formatter().format(record))


@pytest.mark.parametrize("attack", ATTACKS)
def test_lines_tables_and_logs_are_inert(
    attack: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    say(f"one{attack}\ntwo")
    safe_console(width=60).print(f"three{attack}", markup=False)
    record = InertRecord("remem", logging.WARNING, "", 0, "four %s", (attack,), None)
    said = capsys.readouterr().out + record.getMessage()
    assert said.count("\n") == 3 and not STEERING.search(said), ascii(said)


def test_a_terminal_still_gets_our_own_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    with (console := safe_console(force_terminal=True, color_system="standard")).capture() as got:
        console.print("[bold]ours[/bold]")
    assert got.get() == "\x1b[1mours\x1b[0m\n"


def test_nothing_is_printed_another_way() -> None:
    printing = re.compile(r"typer\.echo\(|(?<![\w.])Console\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "remem").rglob("*.py")
        if "bench" not in path.parts and printing.search(path.read_text(encoding="utf-8"))
    }
    # A table as text goes into a text, not to a terminal.
    assert found == {"remem/reports/terminal/console.py", "remem/tables/terminal_view.py"}
