"""A run killed at any moment loses nothing, pays hardly anything twice, and ends the same."""

import json
import random
import signal
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.index.stored_arrays import open_arrays
from remem.memory.stored_memory import FORMAT
from remem.run.store import CANONICAL, MANIFEST
from remem.serve.stub.stub import StubServer, StubSettings

KILLS = 8
IN_FLIGHT = 8
"""At most so many calls are on their way: four questions, or four episodes of two calls each."""
MEAN = 10
"""Of the calls between two kills."""
CALLS = 64
"""Of a whole run."""
LATENCY = 0.05


def check_files(results: Path) -> None:
    """Raise an error if a file with its final name is only half written."""
    for folder in (results / "cache" / "indexes").glob("*"):
        if folder.suffix != ".part":
            open_arrays(folder, FORMAT)
    for path in results.rglob(MANIFEST):
        json.loads(path.read_bytes())
    for path in results.rglob("records.jsonl"):
        for part in path.read_bytes().split(b"\n")[:-1]:
            json.loads(part)


def kept(calls: Path) -> int:
    with sqlite3.connect(calls) as store:
        (count,) = store.execute("SELECT count(*) FROM calls WHERE outcome = 'ok'").fetchone()
    return int(count)


def asked(line: Any) -> int:
    return int(sum(line.server.counts.bodies.values()))


def repeated(line: Any) -> int:
    return asked(line) - len(line.server.counts.bodies)


def kill(line: Any, draw: random.Random, before: int) -> tuple[int, bool]:
    """Start the run, kill it after `before` calls, and return its calls and if it had finished."""
    begun = asked(line)
    process = line.start()
    while process.poll() is None and asked(line) < begun + before:
        time.sleep(0.002)
    time.sleep(draw.uniform(0, 2 * LATENCY))
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    return asked(line) - begun, process.returncode == 0


@pytest.mark.slow
def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(
    line: Any, tmp_path: Path, undisturbed: bytes
) -> None:
    draw, kills, amid, lives, lost = random.Random(7), 0, 0, 0, 0
    while kills < KILLS:
        lives += 1
        with StubServer(StubSettings(latency_seconds=LATENCY)) as server:
            lived = replace(line, results=tmp_path / f"life {lives}", server=server)
            done = False
            while not done:
                known = repeated(lived)
                made, done = kill(lived, draw, draw.randrange(1, 2 * MEAN))
                assert repeated(lived) - known <= IN_FLIGHT  # what the last kill cut off
                kills += not done
                amid += not done and made > 0
                check_files(lived.results)
            assert lived.log.with_name(CANONICAL).read_bytes() == undisturbed
            different = len(server.counts.bodies)
            assert different == CALLS  # nothing else is asked
            missing = different - kept(lived.calls)
            assert missing >= 0  # none is there twice
            lost += missing
    assert amid > 0.8 * kills  # while it asked, not while it began or ended
    assert lost == 0
