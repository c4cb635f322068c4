"""`remem score` scores the records of a run again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from remem.errors import UsageError
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.run_result import RunResult
from remem.run.store import open_run
from remem.types import Gold, Record

Ask = Callable[..., Result]


def test_score_shows_all_conventions_and_the_verdicts_that_are_lacking(
    run: RunResult, ask: Ask, judged: Callable[..., None]
) -> None:
    result = ask("score", run.folder)
    assert result.exit_code == 0, result.output
    for name in ("paper", "reference", "strict"):
        assert name in result.output
    assert (
        "paper, reference, strict: any judge has no verdict on 4 answers: h1/0, h1/1"
        in result.output
    )
    judged(True)
    again = ask("score", run.folder, "--set", "f1=mem0", "--score", "f1")
    assert "f1=mem0: judgments.mine has no verdict on 0 answers" in again.output
    assert "LLM-J (mine)" in again.output


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
    assert "matches both h1/0 and h2/0" in str(result.exception)


def test_a_folder_that_is_no_run_is_refused(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").touch()
    assert "is not a run" in str(ask("score", tmp_path).exception)


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
        assert isinstance(refused, UsageError) and "is not a run" in str(refused), words


def test_every_judge_has_rows_and_that_of_the_run_comes_first(
    make_run: Callable[..., Path], ask: Ask
) -> None:
    record = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
    run = make_run([record], "judge=mem0", "llm@judge_llm=smollm2")
    judges = {"llm-000000000001": False, "llm-000000000002": True, "mem0-000000000003": True}
    for judge, correct in judges.items():
        with open_judgments(run / f"judgments.{judge}.jsonl") as log:
            for case in cases_of([record], "by_category", 1):
                log.append(Judgment(case, "ok", correct=correct))
    shown = ask("score", run, "--set", "paper", "--score", "em").output
    rows = [line.split("│") for line in shown.splitlines() if "│ all" in line]
    assert [(row[1].strip(), row[4].split()[0]) for row in rows[1:4]] == [
        ("LLM-J (mem0)", "100.0"),
        ("LLM-J (llm-000000000001)", "0.0"),
        ("LLM-J (llm-000000000002)", "100.0"),
    ]
