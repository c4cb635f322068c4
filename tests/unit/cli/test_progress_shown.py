"""A command shows its progress live in a terminal, and in one line for each run in a pipe."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

REMEM = Path(sys.executable).parent / "remem"
PLAIN_LINE = re.compile(r"No memory: 4 questions, \d:\d\d:\d\d")


@pytest.fixture
def run(rehearsed: tuple[str, ...], tmp_path: Path) -> tuple[str, ...]:
    quick = "convention.score.resamples=99"
    return (str(REMEM), "run", *rehearsed, quick, f"paths.results={tmp_path}")


def stderr_of_a_terminal(command: tuple[str, ...], environment: dict[str, str]) -> str:
    """Run remem with a terminal as its stderr, and return what it wrote there."""
    ours, theirs = pty.openpty()
    terminal = {**environment, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=theirs, env=terminal
    ) as running:
        os.close(theirs)
        written = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert running.returncode == 0, written
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux raises it at the end of a terminal's output
        return b""


def test_a_terminal_gets_one_view_that_is_cleared_at_the_end(
    run: tuple[str, ...], environment: dict[str, str]
) -> None:
    shown = stderr_of_a_terminal(run, environment)
    assert "4 of 4 questions" in shown
    assert "so far" in shown
    assert "\x1b[?25l" in shown  # the cursor is hidden while the view is redrawn
    assert shown.rstrip().endswith("\x1b[2K")
    assert not PLAIN_LINE.search(shown)


def test_a_pipe_gets_one_line_for_each_run_even_if_colours_are_forced(
    run: tuple[str, ...], environment: dict[str, str]
) -> None:
    coloured = {**environment, "FORCE_COLOR": "1"}
    done = subprocess.run(run, capture_output=True, text=True, env=coloured, check=True)
    (line,) = done.stderr.splitlines()
    assert PLAIN_LINE.fullmatch(line)
    assert "\x1b" not in done.stderr
