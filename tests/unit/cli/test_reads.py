"""How often a verb opens the records of a run, which may be large."""

import subprocess
import sys
from pathlib import Path

import pytest

from remem.run.run_result import RunResult
from remem.run.store import RECORDS

COUNTING = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from remem.cli.main import app
try:
    app(sys.argv[2:], standalone_mode=False)
finally:
    print("opened", opened.count(sys.argv[1]))
"""


def opened(file: Path, *words: str) -> int:
    """Count how often a command opens a file, in a process of its own."""
    command = (sys.executable, "-c", COUNTING, str(file), *words)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


@pytest.mark.parametrize("words", [("--set", "paper"), ("--set", "paper", "--set", "strict")])
def test_score_reads_the_records_of_a_run_once(run: RunResult, words: tuple[str, ...]) -> None:
    assert opened(run.folder / RECORDS, "score", str(run.folder), *words) == 1


def test_compare_reads_the_records_of_each_run_once(run: RunResult) -> None:
    folder = str(run.folder)
    found = opened(run.folder / RECORDS, "compare", folder, folder, "--score", "tot_em")
    assert found == 2  # the same run twice
