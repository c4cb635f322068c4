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
    assert told.stderr.startswith("give fit, rows with a dataset, or order with the CSV")


HEAD = "block,method,score,category,mean"
ROWS = (
    "B,one,answerable_f1,all,30.0",
    "B,one,answerable_f1,1,0.0",  # a category does not order the rows
    "B,two,answerable_f1,all,20.0",
    "B,three,answerable_f1,all,10.0",
    "B,four,answerable_f1,all,5.0",
    "B,one,recall_at_10,all,50.0",
    "B,two,recall_at_10,all,40.0",
    "B,three,recall_at_10,all,45.0",
    "B,four,recall_at_10,all,",  # ranks nothing
    "B,one,f1,all,1.0",
)


def told_order(path: Path, *left_out: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / "typed_reader.py"
    asked = [sys.executable, script, "order", path, *left_out]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


def test_the_order_of_a_tables_rows_is_compared_by_two_scores(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("\n".join((HEAD, *ROWS)))
    # one-two and one-three agree, two-three does not: (2 - 1) / 3
    assert told_order(table).stdout == "B: tau 0.33 over 3 rows: one, two, three\n"
    assert told_order(table, "three").stdout == "B: tau 1.00 over 2 rows: one, two\n"


def test_a_label_or_a_file_that_is_no_tables_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("\n".join((HEAD, *ROWS)))
    odd = told_order(table, "five")
    assert odd.returncode == 1
    assert "found ['five']; the rows are ['four', 'one', 'three', 'two']" in odd.stderr
    for text in ("", "a,b\n1,2\n"):
        table.write_text(text)
        told = told_order(table)
        assert told.returncode == 1
        assert "table.csv: " in told.stderr
    assert "expected the CSV of a table" in told_order(tmp_path / "none.csv").stderr
