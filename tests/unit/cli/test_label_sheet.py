"""`remem label-sheet`, and `remem agree` and `remem error-shares` on the labelled sheet."""

import csv
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from remem.results.label_sheets import STATEMENTS
from remem.run.run_result import RunResult
from remem.run.store import open_run

Ask = Callable[..., Result]


def test_a_sheet_is_drawn_labelled_and_compared_with_metrics_and_judges(
    run: RunResult, ask: Ask, tmp_path: Path, judged: Callable[..., None]
) -> None:
    sheet = tmp_path / "sheet.csv"
    assert ask("label-sheet", run.folder, sheet, "--size", 3).exit_code == 0
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    labels = "".join(f"{row['query_id']},{at % 2}\n" for at, row in enumerate(rows))
    sheet.write_text(f"query_id,label\n{labels}")
    judged(True)
    result = ask("agree", run.folder, sheet)
    assert result.exit_code == 0, result.output
    assert "judgments.mine" in result.output
    assert "0.333" in result.output  # the mean of the labels 0, 1, 0


def test_the_kinds_of_error_are_those_of_statements_where_a_manifest_says_no_style(
    run: RunResult, ask: Ask, tmp_path: Path
) -> None:
    with open_run(run.folder) as store:
        manifest = store.read_manifest()
        manifest["config"]["dataset"].pop("style", None)
        store.write_manifest(manifest)
    drawn = ask("label-sheet", run.folder, tmp_path / "sheet.csv", "--wrong", "--size", 1)
    assert f"Labels: {', '.join(STATEMENTS)}" in drawn.output


def test_wrong_answers_are_drawn_labelled_by_kind_and_counted(
    run: RunResult, ask: Ask, tmp_path: Path
) -> None:
    sheet = tmp_path / "errors.csv"
    drawn = ask("label-sheet", run.folder, sheet, "--wrong", "--size", 3)
    assert drawn.exit_code == 0, drawn.output
    assert "3 of 4 answers with ToT EM below 0.5, seed 0" in drawn.output
    assert "Labels: time_window, incomplete_or_inconsistent_list, direction" in drawn.output
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["evidence_found"] for row in rows] == ["m1"] * 3
    labels = "".join(f"{row['query_id']},direction\n" for row in rows)
    sheet.write_text(f"query_id,label\n{labels}")
    shown = ask("error-shares", run.folder, sheet)
    assert shown.exit_code == 0, shown.output
    line = next(line for line in shown.output.splitlines() if line.startswith("direction"))
    assert line.split()[1:3] == ["3/3", "100.0%"]
    assert "18.0%" in line
    more = ask("label-sheet", run.folder, tmp_path / "more.csv", "--wrong", "--size", 5)
    assert "has only 4 wrong answers; --size 4 takes all" in str(more.exception)


def test_only_what_the_judge_calls_wrong_is_drawn_where_one_has_seen_the_run(
    run: RunResult, ask: Ask, tmp_path: Path, judged: Callable[..., None]
) -> None:
    judged(True)
    none = ask("label-sheet", run.folder, tmp_path / "sheet.csv", "--wrong", "--size", 1)
    assert "has only 0 wrong answers" in str(none.exception)
