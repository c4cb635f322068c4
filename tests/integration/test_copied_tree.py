"""remem as a plain copy of its folders, without a link and without an installation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("remem", "conf", "datasets", "results/paper")
ROW = ("run", "method=bm25_messages", "run.histories=1", "run.limit=2", "run.health=warn")


def copied(place: Path, folders: tuple[str, ...]) -> Path:
    for folder in folders:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, place / folder, symlinks=True, ignore=ignored)
    return place


def started(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    environment = {**os.environ, "PYTHONPATH": str(place), "REMEM_RESULTS": str(place / "out")}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=place
    )


def test_the_checkout_has_no_link() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-s"], check=True, capture_output=True, text=True
    )
    assert [line for line in listed.stdout.splitlines() if line.startswith("120000")] == []


def test_a_copy_runs_its_own_rivals(tmp_path: Path) -> None:
    place = copied(tmp_path, (*CODE, "baselines"))
    done = started(place, "-m", "remem", *ROW)
    assert done.returncode == 0, done.stderr
    where = started(place, "-c", "import baselines.passage_rag as rival; print(rival.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(place)


def test_a_copy_without_its_rivals_does_not_run_those_of_another_checkout(tmp_path: Path) -> None:
    done = started(copied(tmp_path, CODE), "-m", "remem", *ROW)
    assert done.returncode == 2
    # an installation of the checkout is found, if there is one, and refused
    assert "of another copy of remem" in done.stderr or "cannot be imported" in done.stderr
