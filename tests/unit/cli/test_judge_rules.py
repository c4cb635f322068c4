"""`remem judge judge=rules`: it asks no model, judges what a sheet names, and repeats nothing."""

from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from remem.run.run_result import RunResult

Ask = Callable[..., Result]


def test_rules_judge_a_run_without_any_model(run: RunResult, ask: Ask) -> None:
    result = ask("judge", run.folder, "judge=rules")
    assert result.exit_code == 0, result.output
    assert "words and numbers, no model" in result.output


def test_only_the_answers_on_a_sheet_are_judged(run: RunResult, ask: Ask, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"query_id,label\n{run.records[0].query_id},\n")
    result = ask("judge", run.folder, "judge=rules", "--only", sheet)
    assert "1 new verdicts" in result.output
    sheet.write_text("run,query_id,label\nanother,q0,1\n")
    result = ask("judge", run.folder, "judge=rules", "--only", sheet)
    assert "has no answer of" in str(result.exception)


def test_rules_cannot_be_repeated(run: RunResult, ask: Ask) -> None:
    rules = ("judge=rules", "judge.repeats=2")
    result = ask("judge", run.folder, *rules)
    assert "judge.repeats must be 1" in str(result.exception)
