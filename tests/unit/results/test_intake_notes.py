"""What was left out of the data is said with the scores of a run and below a table, once."""

from dataclasses import replace
from pathlib import Path

from remem.config.run_config import configure
from remem.intake import Account, Remark
from remem.results.intake_notes import intake_notes
from remem.results.run import Run
from remem.results.run_notes import run_notes
from remem.run.experiment import run_experiment


def test_what_was_left_out_of_the_data_is_said(tmp_path: Path) -> None:
    config = configure(
        f"paths.results={tmp_path}", "method=no_memory", "run.histories=1", "run.limit=1"
    )
    run = Run.of(config, run_experiment(config))
    assert list(intake_notes(run)) == []
    account = Account("turns", 3, 2, left_out=(Remark("turns without text", 1, "turn 2"),))
    run = replace(run, manifest=replace(run.manifest, accounts=(account,)))
    note = "generated_dialogues: 1 of 3 turns were left out: turns without text (first: turn 2)"
    assert note in run_notes(run)
