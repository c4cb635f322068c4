"""The verbs that score records again and look at judges, on a run of the rehearsal."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner, Result

from remem.cli import rescoring
from remem.config.instantiation import UsageError
from remem.config.run_config import compose_config, run_config
from remem.evaluation.error_sheet import STATEMENTS
from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import Judgment, open_judgments
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import open_run

Ask = Callable[..., Result]


@pytest.fixture
def run(rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunResult:
    return run_experiment(run_config(compose_config([*rehearsed, f"paths.results={tmp_path}"])))


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    app = typer.Typer()
    for verb in (
        rescoring.score,
        rescoring.label_sheet,
        rescoring.agree,
        rescoring.error_shares,
        rescoring.judge_noise,
        rescoring.judge_stress,
    ):
        app.command()(verb)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def judged(run: RunResult, *verdicts: bool) -> None:
    with open_judgments(run.folder / "judgments.mine.jsonl") as log:
        for case in cases_of(run.records, "by_category", len(verdicts)):
            log.append(Judgment(case, "ok", correct=verdicts[case.repeat]))


def test_score_shows_all_conventions_and_the_verdicts_that_are_lacking(
    run: RunResult, ask: Ask
) -> None:
    result = ask("score", run.folder)
    assert result.exit_code == 0, result.output
    for name in ("paper", "reference", "strict"):
        assert name in result.output
    assert "paper, reference, strict: any judge lacks 4 verdicts: h1/0, h1/1" in result.output
    judged(run, True)
    again = ask("score", run.folder, "--set", "f1=mem0", "--score", "f1")
    assert "f1=mem0: judgments.mine lacks 0 verdicts" in again.output
    assert "llm_judge, judgments.mine" in again.output


def test_score_under_corrected_labels(run: RunResult, ask: Ask, tmp_path: Path) -> None:
    record = run.records[0]
    error = {
        "question_id": f"any_qa{record.index}",
        "question": "Which entity was the R1 of E2 in 1965?",
        "golden_answer": "SECRET",
        "error_type": "HALLUCINATION",
        "correct_answer": "E1",
        "correct_evidence": [],
    }
    labels = tmp_path / "errors.json"
    labels.write_text(json.dumps([error]))
    # both histories ask the same question with the same gold: which one is meant is not said
    result = ask("score", run.folder, "--labels", labels)
    assert result.exit_code == 1
    assert "is on h1/0 and h2/0" in str(result.exception)


def test_a_sheet_is_drawn_labelled_and_compared_with_metrics_and_judges(
    run: RunResult, ask: Ask, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    assert ask("label-sheet", run.folder, sheet, "--size", 3).exit_code == 0
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    labels = "".join(f"{row['query_id']},{at % 2}\n" for at, row in enumerate(rows))
    sheet.write_text(f"query_id,label\n{labels}")
    judged(run, True)
    result = ask("agree", run.folder, sheet)
    assert result.exit_code == 0, result.output
    assert "judgments.mine" in result.output
    assert "0.333" in result.output  # the mean of the labels 0, 1, 0


def test_the_noise_of_a_judge_is_told_from_its_repeats(run: RunResult, ask: Ask) -> None:
    assert "has the judges' files none" in str(ask("judge-noise", run.folder).exception)
    judged(run, True, False)
    result = ask("judge-noise", run.folder)
    assert "contradicts itself on 100.0% of the answers" in result.output


def test_a_judge_is_shown_wrong_answers(
    tiny: tuple[str, ...], scripted_model: ModuleType, rehearsal: ModuleType, ask: Ask
) -> None:
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            f'{{"label": "{"CORRECT" if "has to do" in str(request.messages) else "WRONG"}"}}'
        )
    )
    model = "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
    packages = "run.packages=[rehearsal,scripted_model]"
    result = ask("judge-stress", *tiny, model, packages, "--size", 2)
    assert result.exit_code == 0, result.output
    shown = [line.split("│")[1:4] for line in result.output.splitlines() if "│" in line]
    assert [[cell.strip() for cell in cells] for cells in shown] == [
        ["vague", "4", "2"],
        ["generic", "2", "0"],
        ["topical", "2", "2"],
    ]


def test_a_folder_that_is_no_run_is_refused(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").touch()
    assert "is it a run?" in str(ask("score", tmp_path).exception)


@pytest.mark.parametrize(
    "dataset", [None, [], {"name": "x"}, {"name": "x", "scores": ["__class__"], "build": {}}]
)
def test_a_manifest_without_a_whole_dataset_is_refused(
    run: RunResult, ask: Ask, tmp_path: Path, dataset: object
) -> None:
    with open_run(run.folder) as store:
        manifest = store.read_manifest()
        manifest["config"]["dataset"] = dataset
        store.write_manifest(manifest)
    sheet = tmp_path / "sheet.csv"
    for words in (
        ("score", run.folder),
        ("label-sheet", run.folder, sheet, "--size", 1),
        ("error-shares", run.folder, sheet),
        ("agree", run.folder, sheet),
    ):
        refused = ask(*words).exception
        assert isinstance(refused, UsageError) and "is it a run?" in str(refused), words


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
    assert "3 of 4 answers with tot_em below 0.5, seed 0" in drawn.output
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
    assert "has 4 wrong answers; --size 4 takes all" in str(more.exception)


def test_only_what_the_judge_calls_wrong_is_drawn_where_one_has_seen_the_run(
    run: RunResult, ask: Ask, tmp_path: Path
) -> None:
    judged(run, True)
    none = ask("label-sheet", run.folder, tmp_path / "sheet.csv", "--wrong", "--size", 1)
    assert "has 0 wrong answers" in str(none.exception)
