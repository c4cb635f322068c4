"""scripts/typed_reader.py scores the readers as their runs do."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from remem.config.run_config import compose_config, run_config
from remem.metrics.scores import score_questions
from remem.run.experiment import run_experiment

ROOT = Path(__file__).parents[2]
SMALL = ("dataset=generated_dialogues", "dataset.build.conversations=1")


def test_the_figures_are_those_of_the_runs_of_the_readers(tmp_path: Path) -> None:
    where = f"paths.results={tmp_path / 'runs'}"
    told = subprocess.run(
        [sys.executable, ROOT / "scripts" / "typed_reader.py", "rows", *SMALL, where],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    _, _, everything = told.partition("all: 1 histories\n")
    shown = dict(re.findall(r"^  (\w+), Oracle: F1 ([\d.]+)", everything, re.MULTILINE))
    for reader in ("extractive", "typed"):
        config = run_config(
            compose_config([*SMALL, where, f"reader={reader}", "method=oracle_message"])
        )
        records = [each for each in run_experiment(config).records if each.gold.answerable]
        scores = score_questions(records, config.score_convention())
        assert shown[reader] == f"{100 * np.mean([each.value('f1') for each in scores]):.1f}"
    assert float(shown["typed"]) > float(shown["extractive"])


def test_an_unknown_job_is_refused(tmp_path: Path) -> None:
    asked = [sys.executable, ROOT / "scripts" / "typed_reader.py", "fi"]
    told = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.startswith("give fit, or rows with a dataset")
