"""scripts/small_reader.py scores the readers as their runs do, and counts every question once."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from remem.config.run_config import compose_config, run_config
from remem.metrics.scores import score_questions
from remem.run.experiment import run_experiment

ROOT = Path(__file__).parents[2]
SMALL = ("dataset=generated_dialogues", "dataset.build.conversations=1", "llm=none")


def test_the_figures_are_those_of_the_runs_of_the_readers(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, ROOT / "scripts" / "small_reader.py", *SMALL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    shown = re.findall(r"^(.+): n = (\d+); rules (.+), dated rules (.+)$", told, re.MULTILINE)
    counts = {kind: int(count) for kind, count, *_ in shown}
    means = dict(zip(("rules", "dated rules"), shown[-1][2:], strict=True))
    assert [*counts] == ["when", "yes or no", "other", "all"]
    for name, reader in (
        ("rules", ("reader=extractive", "reader.build.refusal_threshold=0.0")),
        ("dated rules", ("reader=extractive_dated",)),
    ):
        where = (f"paths.results={tmp_path / 'runs'}", "method=bm25_messages")
        config = run_config(compose_config([*SMALL, *reader, *where]))
        records = [each for each in run_experiment(config).records if each.gold.answerable]
        scores = score_questions(records, config.score_convention())
        assert means[name] == f"{100 * np.mean([each.value('f1') for each in scores]):.1f}"
        assert counts["all"] == len(records) == sum(counts.values()) - counts["all"]
