"""`remem score` and `compare`: what they show, as text and as JSON, and what they refuse."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from remem.config.run_config import compose_config, run_config
from remem.errors import MissingRecordsError, UsageError
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import MANIFEST, RECORDS, open_run, read_records
from remem.types import Gold, Record

Ask = Callable[..., Result]
MakeRun = Callable[..., Path]
RIGHT = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
Command = Callable[..., Any]
LOSSES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "cut": (lambda lines: [*lines[:-1], lines[-1][:-30]], 3),
    "without its second line": (lambda lines: [lines[0], *lines[2:]], 3),
    "emptied": (lambda lines: [], 0),
}
"""What is done to the lines of a run of 4 questions, and how many records are left."""


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
    assert "matches several questions (h1/0, h2/0)" in str(result.exception)


@pytest.mark.parametrize(
    "dataset", [None, {"name": "x"}, {"name": "x", "scores": ["__class__"], "build": {}}]
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
        ("judge", "label", run.folder, sheet, "--size", 1),
        ("judge", "shares", run.folder, sheet),
        ("judge", "agree", run.folder, sheet),
    ):
        refused = ask(*words).exception
        assert isinstance(refused, UsageError) and "is not a run" in str(refused), words


@pytest.mark.app("small_model")
def test_every_judge_has_rows_and_that_of_the_run_comes_first(make_run: MakeRun, ask: Ask) -> None:
    run = make_run([RIGHT], "judge=mem0", "llm@judge_llm=smollm2")
    judges = {"llm-000000000001": False, "llm-000000000002": True, "mem0-000000000003": True}
    for judge, correct in judges.items():
        with open_judgments(run / f"judgments.{judge}.jsonl") as log:
            for case in cases_of([RIGHT], "by_category", 1):
                log.append(Judgment(case, "ok", correct=correct))
    shown = ask("score", run, "--set", "paper", "--score", "em").output
    rows = [line.split("│") for line in shown.splitlines() if "│ all" in line]
    assert [(row[1].strip(), row[4].split()[0]) for row in rows[1:4]] == [
        ("LLM-J (mem0)", "100.0"),
        ("LLM-J (llm-000000000001)", "0.0"),
        ("LLM-J (llm-000000000002)", "100.0"),
    ]


def test_both_runs_are_shown_with_what_they_took_for_the_questions_of_both(
    make_run: MakeRun, ask: Ask
) -> None:
    other = replace(RIGHT, query_id="h/r", index=1, gold=Gold(("red",), "2"))
    alone = replace(other, query_id="h/s", index=2)
    failed = replace(alone, query_id="h/t", index=3, status="error", answer="", error="E: e")
    folders = [
        make_run([RIGHT, other, alone, failed]),
        make_run([RIGHT, other], "method=remem_s", seconds=0.125),
    ]
    words = ("compare", *folders, "--score", "em", "convention.score.resamples=99")
    shown = ask(*words).output
    assert "recall (ms)" in shown
    (first,) = (line for line in shown.splitlines() if line.startswith(" REMem-I (scripted)"))
    (second,) = (line for line in shown.splitlines() if line.startswith(" REMem-S"))
    assert "500 / 500 / 500" in first and "125 / 125 / 125" in second
    assert "50th / 95th / 99th percentiles" in shown
    costs = json.loads(ask(*words, "--category", "2", "--json").stdout)["costs"]
    recalls = [cost for row in costs for cost in row["run"]["costs"] if cost["name"] == "recall"]
    assert [(cost["found"]["n"], cost["found"]["total"]) for cost in recalls] == [
        (1, 500),
        (1, 125),
    ]


def test_several_runs_are_compared_with_the_first(ask: Ask, make_run: MakeRun) -> None:
    wrong = replace(RIGHT, answer="blue")
    folders = [
        make_run([wrong, replace(RIGHT, query_id="h/r", index=1)], "method=bm25_messages"),
        make_run([RIGHT, replace(RIGHT, query_id="h/r", index=1)], "method=remem_s"),
        make_run([wrong, replace(wrong, query_id="h/r", index=1)], "method=no_memory"),
    ]
    quick = ("convention.score.resamples=99", "convention.score.bootstrap_unit=questions")
    words = ("compare", *folders, "--score", "em", *quick)
    said = " ".join(ask(*words).output.split())
    assert "No certain winner: REMem-S scores highest, EM 100.0 [" in said
    assert "but its lead over BM25, the second best, can be chance (+50.0, p = " in said
    printed = json.loads(ask(*words, "--json").stdout)
    assert printed["runs"] == list(map(str, folders))
    first, second, third = printed["standings"]
    assert (first["name"], first["mean"]["mean"], first["difference"]) == ("BM25", 0.5, None)
    assert (second["only_here"], second["only_first"]) == (1, 0)
    assert (third["only_here"], third["only_first"]) == (0, 1)
    assert "name two runs or more" in str(ask("compare", folders[0]).exception)


@pytest.fixture
def start(rehearsed: tuple[str, ...], tmp_path: Path) -> Callable[[], RunResult]:
    """Start the run of the rehearsal, or start it again."""
    config = run_config(compose_config([*rehearsed, f"paths.results={tmp_path}"]))
    return lambda: run_experiment(config)


def lose(folder: Path, loss: str) -> None:
    lines = (folder / RECORDS).read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    (folder / RECORDS).write_bytes(b"".join(LOSSES[loss][0](lines)))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_run_whose_records_are_missing_is_not_scored_compared_or_reported(
    loss: str, start: Callable[[], RunResult], remem: Command, tmp_path: Path
) -> None:
    folder = start().folder
    lose(folder, loss)
    message = (
        f"remem: {folder / RECORDS} has {LOSSES[loss][1]} of the 4 questions that {MANIFEST} "
        f"counts; run `remem run` with the same settings to ask the missing questions again"
    )
    page = tmp_path / "report.html"
    package = ("--package", "rehearsal")
    for words in (
        ("score", folder, "--score", "f1"),
        ("compare", folder, folder),
        ("report", folder, "--out", page, *package),
    ):
        ended = remem(*words)
        assert (ended.code, ended.err.strip()) == (1, message)
    assert not page.exists()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_missing_questions_are_asked_again_by_the_same_run(
    loss: str, start: Callable[[], RunResult]
) -> None:
    whole = start()
    lose(whole.folder, loss)
    assert start() == whole
    assert read_records(whole.folder) == whole.records


def test_a_run_that_goes_on_has_more_records_than_its_manifest_counts(
    rehearsed: tuple[str, ...], tmp_path: Path, start: Callable[[], RunResult]
) -> None:
    changes = [*rehearsed, f"paths.results={tmp_path}", "run.histories=1"]
    part = run_experiment(run_config(compose_config(changes)))
    manifest = (part.folder / MANIFEST).read_bytes()
    whole = start()
    (part.folder / MANIFEST).write_bytes(manifest)
    assert len(part.records) == 2
    assert read_records(part.folder) == whole.records


def test_a_run_that_was_killed_before_its_first_end_is_read(
    start: Callable[[], RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.run.manifest.ManifestWriter.finish", lambda *of: None)
    folder = start().folder
    lose(folder, "cut")
    assert len(read_records(folder)) == 3


def test_a_lost_answer_that_leaves_an_earlier_error_is_noticed(
    start: Callable[[], RunResult],
    change_records: Callable[[Path, Callable[[bytes], bytes]], None],
) -> None:
    folder = start().folder
    change_records(
        folder,
        lambda line: (
            line.replace(b'"status":"ok"', b'"status":"error"') if b'"h1/0"' in line else line
        ),
    )
    with pytest.raises(MissingRecordsError, match=r"has 3 of the 4 answers that manifest\.json"):
        read_records(folder)
