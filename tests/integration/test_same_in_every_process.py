"""Processes with different hash seeds, and so different orders of sets, write the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

RUNS = (
    ("dataset=generated_dialogues", "method=remem_i", "run.histories=1", "run.limit=20"),
    ("dataset=generated_dialogues", "method=full_context", "run.histories=1", "run.limit=5"),
    (
        "dataset=generated_complex_tr",
        "planner=symbolic",
        "reader=symbolic",
        "dataset.build.subjects=10",
        "dataset.build.questions_per_level=5",
    ),
    (
        "dataset=generated_tot",
        "method=remem_s",
        "reader=symbolic",
        "dataset.build.graphs_per_cell=1",
        "run.histories=8",
        "run.limit=3",
    ),
)
ALL = """
import sys
from remem.config.run_config import configure
from remem.run.experiment import run_experiment
for line in sys.argv[2:]:
    run_experiment(configure(*line.split(), f"paths.results={sys.argv[1]}"))
"""


def canonical(results: Path, seed: str) -> dict[str, bytes]:
    """Make all runs in a process, and return their canonical records."""
    subprocess.run(
        [sys.executable, "-c", ALL, results, *map(" ".join, RUNS)],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    paths = sorted(results.rglob("records.canonical.jsonl"))
    return {str(path.relative_to(results)): path.read_bytes() for path in paths}


def test_the_records_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    first = canonical(tmp_path / "1", "1")
    assert first == canonical(tmp_path / "2", "2")
    assert len(first) == len(RUNS)
    assert all(first.values())
