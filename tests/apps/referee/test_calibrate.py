"""`remem referee calibrate` on the runs of the rehearsal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from remem.errors import UsageError
from remem.run.run_result import RunResult

Ask = Callable[..., Result]


def labels(run: RunResult, folder: Path) -> Path:
    """Label every second answer as right, and leave out the last."""
    sheet = folder / "sheet.csv"
    lines = [f"{record.query_id},{at % 2}" for at, record in enumerate(run.records[:-1])]
    sheet.write_text("query_id,label\n" + "\n".join(lines) + "\n")
    return sheet


def test_a_judge_of_one_run_is_held_against_labels(
    run: RunResult, judged: Callable[..., None], ask: Ask, tmp_path: Path
) -> None:
    judged(True, False)
    sheet = labels(run, tmp_path)
    page = tmp_path / "judges.html"
    result = ask("referee", "calibrate", run.folder, "--labels", sheet, "--html", page)
    assert result.exit_code == 0, result.output
    assert "How often each judge is right" in result.output
    assert "Verdicts on the same answer, given again" in result.output
    assert "What each judge would have published" not in result.output  # a single system
    assert "no estimate" in result.output  # it accepts everything
    assert "<h1>The judges of" in page.read_text()
    assert run.records[0].question not in page.read_text()


def test_the_result_is_one_json_object(
    run: RunResult, judged: Callable[..., None], ask: Ask, tmp_path: Path
) -> None:
    judged(True)
    result = ask("referee", "calibrate", run.folder, "--labels", labels(run, tmp_path), "--json")
    written = json.loads(result.output)
    assert written["command"] == "referee calibrate"
    error = written["report"]["errors"][0]["error"]
    assert error["accepted_right"] == error["right"] > 0
    assert error["accepted_wrong"] == error["wrong"] > 0


def test_a_sheet_is_drawn_for_labels(
    run: RunResult, judged: Callable[..., None], ask: Ask, tmp_path: Path
) -> None:
    judged(True)
    result = ask("referee", "calibrate", run.folder, "--draw", tmp_path / "drawn.csv", "--size", 2)
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "drawn.csv").read_text().splitlines()) >= 3


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "no judge has given a verdict"),
        (("--labels", "a.csv", "--truth", "mine"), "cannot be used together"),
    ],
)
def test_without_verdicts_or_with_two_truths_nothing_is_shown(
    run: RunResult, ask: Ask, words: tuple[str, ...], complaint: str
) -> None:
    result = ask("referee", "calibrate", run.folder, *words)
    assert isinstance(result.exception, UsageError)
    assert complaint in str(result.exception)


def test_the_verdicts_of_rules_are_calibrated(run: RunResult, ask: Ask) -> None:
    assert ask("judge", "run", run.folder, "judge=rules").exit_code == 0
    assert "rules" in ask("referee", "calibrate", run.folder).output
