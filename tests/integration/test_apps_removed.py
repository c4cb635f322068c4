"""Removing the apps is `rm -r` of their folders: what remains works and can be tested."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from remem.files.shipped import app_folders

ROOT = Path(__file__).parents[2]
PLACES = ("remem", "tests", "docs")
TESTS = (
    "test_import_rules.py",
    "test_readme.py",
    "test_docs_pages.py",
    "test_docs_figures.py",
)
TABLE = ("table", "offline", "--rows", "bm25_messages")
FEW = ("run.histories=1", "run.limit=2", "run.health=warn")


@pytest.fixture
def without_apps(tmp_path: Path) -> Path:
    """A copy of the files of the checkout, without the three folders of each app."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listing = ("git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(listing, check=True, capture_output=True, text=True)
    place = tmp_path / "copy"
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place / name)
    for folder in PLACES:
        for app in app_folders():
            shutil.rmtree(place / folder / "apps" / app.name)
    return place


def ran(place: Path, *words: str) -> str:
    """Run Python in a copy, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(place), "REMEM_RESULTS": str(place / "out")}
    environment["PYTHONDONTWRITEBYTECODE"] = ""  # else each process compiles the package anew
    command = [sys.executable, *words]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=place
    )
    assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done.stdout


@pytest.mark.slow
def test_without_the_apps_the_commands_work_and_the_other_tests_import(without_apps: Path) -> None:
    code = "import remem; from remem.files.shipped import app_folders; print(remem.__file__); "
    where, left = ran(without_apps, "-c", f"{code}print([*app_folders()])").split()
    assert (Path(where).is_relative_to(without_apps), left) == (True, "[]")
    assert "bm25_messages" in ran(without_apps, "-m", "remem", "list")
    assert "BM25" in ran(without_apps, "-m", "remem", *TABLE, *FEW)
    ran(without_apps, "-m", "pytest", "--assert=plain", "-p", "no:xdist", "-k", " or ".join(TESTS))
