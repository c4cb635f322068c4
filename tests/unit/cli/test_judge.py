"""Verdicts of judges, their noise and errors, sheets for people, and agreement with them."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import Result

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.results.verdicts import (
    Judgment,
    cases_of,
    judgment_files,
    open_judgments,
    verdicts_by_case,
)
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.serve.stub.stub import StubServer
from remem.types import Gold, Record

Ask = Callable[..., Result]
Say = Callable[..., str]
MakeRun = Callable[..., Path]
MODEL = (
    "run.packages=[scripted_model]",
    "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}",
)
BOTH = "run.packages=[rehearsal,scripted_model]"
RECORD = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
KIND = "likelihood by a small model, not the paper's judge"


@pytest.fixture
def one_history(rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunResult:
    changes = [*rehearsed, "run.histories=1", f"paths.results={tmp_path}"]
    return run_experiment(run_config(compose_config(changes)))


@pytest.fixture
def labels(one_history: RunResult, tmp_path: Path) -> Path:
    """The file of an audit that says the first question's gold is "E1", not "SECRET"."""
    error = {
        "question_id": "any_qa0",
        "question": one_history.records[0].question,
        "golden_answer": "SECRET",
        "error_type": "HALLUCINATION",
        "correct_answer": "E1",
        "correct_evidence": [],
    }
    path = tmp_path / "errors.json"
    path.write_text(json.dumps([error]))
    return path


@pytest.fixture
def say(ask: Ask, scripted_model: ModuleType) -> Say:
    """Return a function that returns a command's output; its judge accepts only the gold "E1"."""
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            f'{{"label": "{"CORRECT" if "Reference answer: E1" in str(request) else "WRONG"}"}}'
        )
    )

    def output(*words: object) -> str:
        result = ask(*words)
        assert result.exit_code == 0, result.output
        return result.output

    return output


def test_corrected_golds_are_judged_anew_and_all_others_keep_their_verdict(
    one_history: RunResult, labels: Path, say: Say, scripted_model: ModuleType
) -> None:
    assert "llm_judge: 0.0 (n = 2); 2 new verdicts" in say(
        "judge", "run", one_history.folder, *MODEL
    )
    corrected = say("judge", "run", one_history.folder, *MODEL, "--labels", labels)
    assert "llm_judge on corrected gold answers: 50.0 (n = 2); 1 new verdicts" in corrected
    assert "0 new verdicts" in say("judge", "run", one_history.folder, *MODEL, "--labels", labels)
    again = say("judge", "run", one_history.folder, *MODEL)
    assert "llm_judge: 0.0 (n = 2); 0 new verdicts" in again
    assert len(scripted_model.ASKED) == 3
    (file,) = judgment_files(one_history.folder)
    said = {
        (case.query_id, case.golds): correct for case, correct in verdicts_by_case(file).items()
    }
    assert said == {
        ("h1/0", ("SECRET",)): False,
        ("h1/0", ("E1",)): True,
        ("h1/1", ("SECRET",)): False,
    }


def test_score_uses_the_verdicts_on_the_golds_that_it_scores_under(
    one_history: RunResult, labels: Path, say: Say
) -> None:
    say("judge", "run", one_history.folder, *MODEL)
    before = say("score", one_history.folder, "--labels", labels)
    assert "corrected: judgments.llm" in before and "has no verdict on 1 answers: h1/0" in before
    say("judge", "run", one_history.folder, *MODEL, "--labels", labels)
    shown = say("score", one_history.folder, "--labels", labels)
    assert "has no verdict on 1 answers" not in shown
    line = next(line for line in shown.splitlines() if "LLM-J (llm)" in line)
    assert "0.0" in line and "50.0" in line


@pytest.mark.app("small_model")
def test_the_verdicts_of_another_kind_of_judge_are_headed_by_its_kind(
    say: Say, tmp_path: Path
) -> None:
    refusing = ("dataset=generated_dialogues", "method=no_memory", "reader=always_refuse")
    part = ("run.histories=1", "run.limit=10", "run.health=warn", f"paths.results={tmp_path}")
    refused = run_experiment(run_config(compose_config([*refusing, *part])))
    right = sum(record.gold.category == "5" for record in refused.records)  # no answer is known
    assert 0 < right < 10
    likelihood = ("judge=likelihood", "llm@judge_llm=replay", "llm@judge_llm.recorded=smollm2")
    said = " ".join(say("judge", "run", refused.folder, *likelihood).split())
    kind = "likelihood by a small model, not the paper's judge"
    assert f"{kind}: {10 * right}.0 (n = 10); 10 new verdicts" in said
    assert "llm_judge" not in said


def test_the_model_of_the_run_judges_it_and_the_screen_says_so(
    rehearsed: tuple[str, ...], rehearsal: ModuleType, say: Say, tmp_path: Path
) -> None:
    with StubServer() as stub:
        model = ("llm=loopback-stub", f"llm.build.endpoint.base_url={stub.base_url}")
        chosen = (*rehearsed, *model, "run.histories=1", f"paths.results={tmp_path}")
        answered = run_experiment(run_config(compose_config(chosen)))
        said = " ".join(say("judge", "run", answered.folder).split())
        asked = f"the judge's model is loopback-stub at {stub.base_url}"
        assert f"{asked}, which also answered the run" in said
        assert "(n = 2); 2 new verdicts in judgments.llm-loopback-stub-" in said
        assert "the judge's model" not in say("judge", "run", answered.folder, "judge=rules")


def judged_by(judge: str, folder: Path) -> Path:
    """Write a verdict of this judge on the run's answer; return the run's folder."""
    chosen = compose_config([f"judge={judge}", "llm@judge_llm=smollm2"])
    name = run_config(chosen).judgments
    assert name is not None
    with open_judgments(folder / name) as log:
        for case in cases_of([RECORD], "by_category", 1):
            log.append(Judgment(case, "ok", correct=True))
    return folder


@pytest.mark.app("small_model")
@pytest.mark.parametrize(("judge", "is_the_papers"), [("likelihood", False), ("llm", True)])
def test_score_heads_the_verdicts_with_the_kind_of_the_judge(
    make_run: MakeRun, ask: Ask, judge: str, is_the_papers: bool
) -> None:
    folder = judged_by(judge, make_run([RECORD]))
    output = ask("score", folder).output
    assert ("LLM-J" in output) is is_the_papers
    heading = "LLM-J" if is_the_papers else KIND.partition(",")[0]
    judged = next(line for line in output.splitlines() if heading in line)
    assert judged.count("100.0 (n = 1)") == 3  # a long kind leaves room for all conventions


def test_the_noise_of_a_judge_is_told_from_its_repeats(
    run: RunResult, ask: Ask, judged: Callable[..., None]
) -> None:
    assert "found none; choose one with --judge" in str(ask("judge", "noise", run.folder).exception)
    judged(True, False)
    result = ask("judge", "noise", run.folder)
    assert "contradicts itself on 100.0% of the answers" in result.output


def test_only_the_answers_on_a_sheet_are_judged(run: RunResult, ask: Ask, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"query_id,label\n{run.records[0].query_id},\n")
    result = ask("judge", "run", run.folder, "judge=rules", "--only", sheet)
    assert "words and numbers, no model" in result.output and "1 new verdicts" in result.output
    sheet.write_text("run,query_id,label\nanother,q0,1\n")
    result = ask("judge", "run", run.folder, "judge=rules", "--only", sheet)
    assert "has no answers of" in str(result.exception)
    result = ask("judge", "run", run.folder, "judge=rules", "judge.repeats=2")
    assert "judge.repeats must be 1" in str(result.exception)


def test_a_judge_that_needs_a_rubric_is_refused(
    tiny: tuple[str, ...], scripted_model: ModuleType, ask: Ask
) -> None:
    result = ask("judge", "stress", *tiny, "judge=longmemeval", MODEL[1], BOTH)
    assert isinstance(result.exception, UsageError)
    assert "judge=longmemeval grades by the rubric or the type" in str(result.exception)


def test_a_judge_is_shown_right_and_wrong_answers(
    tiny: tuple[str, ...], scripted_model: ModuleType, rehearsal: ModuleType, ask: Ask
) -> None:
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            f'{{"label": "{"CORRECT" if "has to do" in str(request.messages) else "WRONG"}"}}'
        )
    )
    result = ask("judge", "stress", *tiny, MODEL[1], BOTH, "--size", 2)
    assert result.exit_code == 0, result.output
    shown = [line.split("│")[1:4] for line in result.output.splitlines() if "│" in line]
    assert [[cell.strip() for cell in cells] for cells in shown] == [
        ["right", "4", "0"],
        ["gold", "2", "0"],
        ["sentence", "2", "0"],
        ["wrong: vague", "4", "2"],
        ["generic", "2", "0"],
        ["topical", "2", "2"],
    ]


def test_a_sheet_is_drawn_labelled_and_compared_with_metrics_and_judges(
    run: RunResult, ask: Ask, tmp_path: Path, judged: Callable[..., None]
) -> None:
    sheet = tmp_path / "sheet.csv"
    assert ask("judge", "label", run.folder, sheet, "--size", 3).exit_code == 0
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    labels = "".join(f"{row['query_id']},{at % 2}\n" for at, row in enumerate(rows))
    sheet.write_text(f"query_id,label\n{labels}")
    judged(True)
    result = ask("judge", "agree", run.folder, sheet)
    assert result.exit_code == 0, result.output
    assert "judgments.mine" in result.output
    assert "0.333" in result.output  # the mean of the labels 0, 1, 0


def test_wrong_answers_are_drawn_labelled_by_kind_and_counted(
    run: RunResult, ask: Ask, tmp_path: Path, judged: Callable[..., None]
) -> None:
    sheet = tmp_path / "errors.csv"
    drawn = ask("judge", "label", run.folder, sheet, "--wrong", "--size", 3)
    assert drawn.exit_code == 0, drawn.output
    assert "3 of 4 answers with ToT EM below 0.5, seed 0" in drawn.output
    assert "Labels: time_window, incomplete_or_inconsistent_list, direction" in drawn.output
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["evidence_found"] for row in rows] == ["m1"] * 3
    labels = "".join(f"{row['query_id']},direction\n" for row in rows)
    sheet.write_text(f"query_id,label\n{labels}")
    shown = ask("judge", "shares", run.folder, sheet)
    assert shown.exit_code == 0, shown.output
    line = next(line for line in shown.output.splitlines() if line.startswith("direction"))
    assert line.split()[1:3] == ["3/3", "100.0%"]
    assert "18.0%" in line
    more = ask("judge", "label", run.folder, tmp_path / "more.csv", "--wrong", "--size", 5)
    assert "has only 4 wrong answers; --size 4 takes all" in str(more.exception)
    judged(True)  # then only what the judge calls wrong is drawn
    none = ask("judge", "label", run.folder, tmp_path / "none.csv", "--wrong", "--size", 1)
    assert "has only 0 wrong answers" in str(none.exception)
