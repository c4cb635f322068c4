"""A run killed at any moment: nothing lost, hardly anything paid twice, the same records."""

import json
import random
import signal
import sqlite3
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from remem.store import MANIFEST

KILLS = 8


def check_files(results: Path) -> None:
    """Refuse a file that bears its final name and is half written."""
    for path in results.rglob("index.npz"):
        if ".part" not in str(path):
            with zipfile.ZipFile(path) as archive:
                assert archive.testzip() is None
    for path in results.rglob(MANIFEST):
        json.loads(path.read_bytes())
    for path in results.rglob("records.jsonl"):
        for one in path.read_bytes().split(b"\n")[:-1]:
            json.loads(one)


def kept(calls: Path) -> int:
    with sqlite3.connect(calls) as store:
        (count,) = store.execute("SELECT count(*) FROM calls WHERE outcome = 'ok'").fetchone()
    return int(count)


def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(
    line: Any, undisturbed: bytes, factor: int, figure: Callable[[str, int], None]
) -> None:
    draw, kills = random.Random(7), 0
    for _ in range(20 * factor * KILLS):
        if kills == KILLS * factor:
            break
        process = line.start()
        time.sleep(draw.uniform(0.6, 1.6))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
        if line.results.exists():
            check_files(line.results)
        if process.returncode == 0:  # it was done: begin anew, with the calls that are kept
            assert line.log.with_name("records.canonical.jsonl").read_bytes() == undisturbed
            line.log.unlink()
    assert line.finished() == undisturbed
    assert kills == KILLS * factor

    counts = line.server.counts
    asked, different = sum(counts.bodies.values()), len(counts.bodies)
    assert asked - different <= 8 * kills  # at most what was on its way at each kill
    assert kept(line.calls) == different  # every reply is there once
    figure("kills survived", kills)
    figure("replies lost", different - kept(line.calls))
