"""A run that is killed repeatedly ends with the same bytes as a run that is not."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.index.stored_arrays import open_arrays
from remem.memory.stored_memory import FORMAT
from remem.run.experiment import run_experiment
from remem.run.store import CANONICAL, RECORDS

DIALOGUES = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=2",
    "dataset.build.sessions=8",
    "method=remem_i",
    "planner=scripted",
    "reader=extractive",
)


def finish(parts: tuple[str, ...], results: Path) -> bytes:
    result = run_experiment(run_config(compose_config([*parts, f"paths.results={results}"])))
    assert result.errors == 0
    return (result.folder / CANONICAL).read_bytes()


def lines(results: Path) -> int:
    logs = (results / "runs").glob(f"*/*/*/{RECORDS}")
    return sum(path.read_bytes().count(b"\n") for path in logs)


def check_indexes(results: Path) -> None:
    """Check that every index with its final name is complete."""
    for folder in (results / "cache" / "indexes").iterdir():
        if folder.suffix != ".part":
            open_arrays(folder, FORMAT)


def test_a_run_that_was_killed_twice_ends_as_one_that_was_not(
    tmp_path: Path, kill_at: Callable[..., None]
) -> None:
    undisturbed = finish(DIALOGUES, tmp_path / "undisturbed")
    total = undisturbed.count(b"\n")
    killed = tmp_path / "killed"
    for moment in sorted(random.Random(20).sample(range(1, 3 * total // 4), 2)):
        kill_at(DIALOGUES, killed, RECORDS, moment)
        assert lines(killed) == moment < total
        check_indexes(killed)
    assert finish(DIALOGUES, killed) == undisturbed

    (log,) = killed.rglob(RECORDS)
    attempts = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert {attempt["status"] for attempt in attempts} == {"ok"}
    assert len(attempts) == total  # no question was answered twice
