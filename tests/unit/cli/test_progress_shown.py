"""A command shows its progress live in a terminal, and in one line for each run in a pipe."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

REMEM = Path(sys.executable).parent / "remem"
SMALL = ("run.histories=1", "run.limit=3", "convention.score.resamples=99")
RUN = ("run", "dataset=generated_dialogues", "method=bm25_messages", *SMALL)
PLAIN_LINE = re.compile(r"BM25: 3 questions, 0:00:\d\d")


def stderr_of_a_terminal(*command: str) -> str:
    """Run remem with a terminal as its stderr, and return what it wrote there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    with subprocess.Popen(
        [REMEM, *command], stdout=subprocess.DEVNULL, stderr=theirs, env=environment
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


def test_a_terminal_gets_one_view_that_is_cleared_at_the_end(tmp_path: Path) -> None:
    shown = stderr_of_a_terminal(*RUN, f"paths.results={tmp_path}")
    assert "3 of 3 questions" in shown
    assert "so far" in shown
    assert "\x1b[?25l" in shown  # the cursor is hidden while the view is redrawn
    assert shown.rstrip().endswith("\x1b[2K")
    assert not PLAIN_LINE.search(shown)


@pytest.mark.parametrize("color", [{}, {"FORCE_COLOR": "1"}], ids=["plain", "colours forced"])
def test_a_pipe_gets_one_line_for_each_run(tmp_path: Path, color: dict[str, str]) -> None:
    done = subprocess.run(
        [REMEM, *RUN, f"paths.results={tmp_path}"],
        capture_output=True,
        text=True,
        env={**os.environ, **color},
        check=True,
    )
    (line,) = done.stderr.splitlines()
    assert PLAIN_LINE.fullmatch(line)
    assert "\x1b" not in done.stderr
