"""Runs that are killed, and data of a few messages."""

import json
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
    """Return a function that starts a run and kills it when its log has a given number of lines."""

    def kill_at(parts: tuple[str, ...], results: Path, log: str, count: int) -> None:
        command = [sys.executable, "-c", KILLED, log, str(count), *parts]
        done = subprocess.run([*command, f"paths.results={results}"], check=False)
        assert done.returncode == -signal.SIGKILL

    return kill_at


@pytest.fixture(scope="module")
def small_locomo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data: one conversation of two sessions, with three questions."""
    chat = {
        "session_1": [
            {"speaker": "Bob", "dia_id": "D1:1", "text": "I sold my boat to Ann."},
            {"speaker": "Ann", "dia_id": "D1:2", "text": "I painted it blue."},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sailed to Malta."}],
        "session_2_date_time": "9:05 am on 1 June, 2023",
    }
    qa = [
        {"question": "Who sold the boat?", "answer": "Bob", "evidence": ["D1:1"], "category": 4},
        {"question": "When did Ann sail?", "answer": "June", "evidence": ["D2:1"], "category": 2},
    ]
    folder = tmp_path_factory.mktemp("data")
    (folder / "locomo").mkdir()
    whole = [{"sample_id": "conv-1", "conversation": chat, "qa": qa}]
    (folder / "locomo" / "locomo10.json").write_text(json.dumps(whole))
    return folder
