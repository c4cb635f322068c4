"""`remem judge`: whose model judges, and verdicts on corrected golds apart from the others."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer.testing import CliRunner

from remem.cli.judging import judge
from remem.cli.measure import score
from remem.config.run_config import compose_config, run_config
from remem.results.verdicts import judgment_files, verdicts_by_case
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.serve.stub.stub import StubServer

Ask = Callable[..., str]


@pytest.fixture
def run(rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunResult:
    changes = [*rehearsed, "run.histories=1", f"paths.results={tmp_path}"]
    return run_experiment(run_config(compose_config(changes)))


@pytest.fixture
def labels(run: RunResult, tmp_path: Path) -> Path:
    """An audit that says the first question's gold is "E1", and not "SECRET"."""
    error = {
        "question_id": "any_qa0",
        "question": run.records[0].question,
        "golden_answer": "SECRET",
        "error_type": "HALLUCINATION",
        "correct_answer": "E1",
        "correct_evidence": [],
    }
    path = tmp_path / "errors.json"
    path.write_text(json.dumps([error]))
    return path


@pytest.fixture
def ask(scripted_model: ModuleType) -> Ask:
    """Run a verb; the judge accepts every answer where the gold is "E1", and no other."""
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            f'{{"label": "{"CORRECT" if "Reference answer: E1" in str(request) else "WRONG"}"}}'
        )
    )
    app = typer.Typer()
    app.command()(judge)
    app.command()(score)

    def asked(*words: object) -> str:
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done.output

    return asked


MODEL = (
    "run.packages=[scripted_model]",
    "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}",
)


def test_corrected_golds_are_judged_anew_and_all_others_keep_their_verdict(
    run: RunResult, labels: Path, ask: Ask, scripted_model: ModuleType
) -> None:
    assert "llm_judge: 0.0 (n = 2); 2 new verdicts" in ask("judge", run.folder, *MODEL)
    corrected = ask("judge", run.folder, *MODEL, "--labels", labels)
    assert "llm_judge on corrected golds: 50.0 (n = 2); 1 new verdicts" in corrected
    assert "0 new verdicts" in ask("judge", run.folder, *MODEL, "--labels", labels)
    again = ask("judge", run.folder, *MODEL)
    assert "llm_judge: 0.0 (n = 2); 0 new verdicts" in again
    assert len(scripted_model.ASKED) == 3
    (file,) = judgment_files(run.folder)
    said = {
        (case.query_id, case.golds): correct for case, correct in verdicts_by_case(file).items()
    }
    assert said == {
        ("h1/0", ("SECRET",)): False,
        ("h1/0", ("E1",)): True,
        ("h1/1", ("SECRET",)): False,
    }


def test_score_uses_the_verdicts_on_the_golds_that_it_scores_under(
    run: RunResult, labels: Path, ask: Ask
) -> None:
    ask("judge", run.folder, *MODEL)
    before = ask("score", run.folder, "--labels", labels)
    assert "corrected: judgments.llm" in before and "has no verdict on 1 answers: h1/0" in before
    ask("judge", run.folder, *MODEL, "--labels", labels)
    shown = ask("score", run.folder, "--labels", labels)
    assert "has no verdict on 1 answers" not in shown
    line = next(line for line in shown.splitlines() if "LLM-J (llm)" in line)
    assert "0.0" in line and "50.0" in line


def test_the_verdicts_of_another_kind_of_judge_are_headed_by_its_kind(
    ask: Ask, tmp_path: Path
) -> None:
    refusing = ("dataset=generated_dialogues", "method=no_memory", "reader=always_refuse")
    part = ("run.histories=1", "run.limit=10", "run.health=warn", f"paths.results={tmp_path}")
    refused = run_experiment(run_config(compose_config([*refusing, *part])))
    right = sum(record.gold.category == "5" for record in refused.records)  # no answer is known
    assert 0 < right < 10
    likelihood = ("judge=likelihood", "llm@judge_llm=replay", "llm@judge_llm.recorded=smollm2")
    said = " ".join(ask("judge", refused.folder, *likelihood).split())
    kind = "likelihood by a small model, not the paper's judge"
    assert f"{kind}: {10 * right}.0 (n = 10); 10 new verdicts" in said
    assert "llm_judge" not in said


def test_the_model_of_the_run_judges_it_and_the_screen_says_so(
    rehearsed: tuple[str, ...], rehearsal: ModuleType, ask: Ask, tmp_path: Path
) -> None:
    with StubServer() as stub:
        model = ("llm=loopback-stub", f"llm.build.endpoint.base_url={stub.base_url}")
        chosen = (*rehearsed, *model, "run.histories=1", f"paths.results={tmp_path}")
        answered = run_experiment(run_config(compose_config(chosen)))
        said = " ".join(ask("judge", answered.folder).split())
        asked = f"the judge's model is loopback-stub at {stub.base_url}"
        assert f"{asked}, which also answered the run" in said
        assert "(n = 2); 2 new verdicts in judgments.llm-loopback-stub-" in said
        assert "the judge's model" not in ask("judge", answered.folder, "judge=rules")
