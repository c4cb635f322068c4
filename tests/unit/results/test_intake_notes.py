"""A run's scores come with notes on data that was left out or does not fit the scores."""

from dataclasses import replace
from pathlib import Path

from remem.config.run_config import configure
from remem.intake import Account, Remark
from remem.results.intake_notes import intake_notes
from remem.results.run import Run
from remem.results.run_notes import run_notes
from remem.run.experiment import run_experiment
from remem.run.script_note import script_note
from remem.types import Gold


def test_what_was_left_out_of_the_data_is_said(tmp_path: Path) -> None:
    config = configure(
        f"paths.results={tmp_path}", "method=no_memory", "run.histories=1", "run.limit=1"
    )
    run = Run.of(config, run_experiment(config))
    assert list(intake_notes(run)) == []
    account = Account("turns", 3, 2, left_out=(Remark("turns without text", 1, "turn 2"),))
    run = replace(run, manifest=replace(run.manifest, data_accounts=(account,)))
    note = "generated_dialogues: 1 of 3 turns were left out: turns without text (first: turn 2)."
    assert note in run_notes(run)


def test_scores_that_do_not_fit_a_script_without_spaces_are_named() -> None:
    golds = [Gold(("上海",), "1"), Gold(("Oslo",), "1"), Gold(("no",), "5", answerable=False)]
    assert script_note(configure(), ["?", "?", "?"], golds) == (
        "generated_dialogues: 1 of 2 gold answers are in a script without spaces, in which F1, EM, "
        "BLEU-1 and BM25 as the paper defines them do not work; use convention=characters"
    )


def test_nothing_is_said_of_other_scripts_or_of_few_questions_or_with_the_convention() -> None:
    golds = [Gold(("7",), "1")] * 11
    few = [*["Where?"] * 10, "谁"]
    assert script_note(configure(), few, golds) == ""
    assert "2 of 11 questions are in" in script_note(configure(), [*few[1:], "谁"], golds)
    assert script_note(configure("convention=characters"), ["谁"] * 11, golds) == ""
