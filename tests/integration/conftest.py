"""Runs that are killed."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

KILLED = """
import os, signal, sys
from remem.config.run_config import configure
from remem.files.line_log import LineLog
from remem.run.experiment import run_experiment

name, count, *parts = sys.argv[1:]
append = LineLog.append

def append_and_die(log, content):
    append(log, content)
    if log.path.name == name and log.path.read_bytes().count(b"\\n") == int(count):
        os.kill(os.getpid(), signal.SIGKILL)

LineLog.append = append_and_die
run_experiment(configure(*parts))
"""


@pytest.fixture(scope="session")
def kill_at() -> Callable[[tuple[str, ...], Path, str, int], None]:
    """Start a run that is killed when a log of it has so many lines."""

    def kill_at(parts: tuple[str, ...], results: Path, log: str, count: int) -> None:
        command = [sys.executable, "-c", KILLED, log, str(count), *parts]
        done = subprocess.run([*command, f"paths.results={results}"], check=False)
        assert done.returncode == -signal.SIGKILL

    return kill_at
