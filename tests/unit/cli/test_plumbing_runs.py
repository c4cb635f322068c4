"""Wherever the scores of a memory made by too small a model are shown, the output says so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from remem.cli import hydra_entry
from remem.cli.main import app
from remem.cli.run_output import show_job
from remem.config.run_config import compose_config, run_config
from remem.reports.html.report import write_report
from remem.results.run import Run
from remem.run.run_result import RunResult
from remem.types import Gold, Record

SMALL = ("method=remem_i", "planner=llm", "llm=smollm2")
READS_ONLY = ("method=remem_i", "planner=scripted", "reader=direct", "llm=smollm2")
RECORD = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
SAID = (
    "a model this small cannot extract or plan; these scores only show that its replies can be read"
)
both = pytest.mark.parametrize(
    ("overrides", "is_said"), [pytest.param(SMALL, True), pytest.param(READS_ONLY, False)]
)
MakeRun = Callable[..., Path]


def printed(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (SMALL, "[1/2] REMem-I: F1 -, runs/1"),
        (READS_ONLY, "[1/2] REMem-I: F1 100.0, runs/1"),
        (
            ("method=remem_i", "llm=loopback-stub"),
            "[1/2] REMem-I (loopback-stub: no result): F1 100.0, runs/1",
        ),
    ],
)
def test_the_line_of_a_job_of_a_sweep_has_its_main_score_unless_it_is_plumbing(
    overrides: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = run_config(compose_config(overrides))
    show_job("[1/2] REMem-I", Run.of(config, RunResult(Path("runs/1"), (RECORD,))))
    assert capsys.readouterr().out == f"{said}\n"


@both
def test_score_says_that_the_scores_are_plumbing(
    make_run: MakeRun, overrides: tuple[str, ...], is_said: bool
) -> None:
    assert (f"plumbing: {SAID}" in printed("score", make_run([RECORD], *overrides))) is is_said


def test_compare_says_which_of_the_runs_is_plumbing(make_run: MakeRun) -> None:
    rules, small = make_run([RECORD]), make_run([RECORD], *SMALL)
    quick = "convention.score.resamples=99"
    assert f"REMem-I (llm): plumbing: {SAID}" in printed("compare", rules, small, quick)
    assert f"REMem-I (llm): plumbing: {SAID}" in printed("compare", small, rules, quick)
    assert "plumbing" not in printed("compare", rules, rules, quick)


@both
def test_a_report_says_that_the_scores_are_plumbing(
    make_run: MakeRun, overrides: tuple[str, ...], is_said: bool
) -> None:
    page = write_report(make_run([RECORD], *overrides)).read_text("utf-8")
    assert (f"Plumbing: {SAID}." in page) is is_said


@both
def test_a_run_says_below_its_scores_that_they_are_plumbing(
    make_run: MakeRun,
    overrides: tuple[str, ...],
    is_said: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = RunResult(make_run([RECORD], *overrides), (RECORD,))
    monkeypatch.setattr(hydra_entry, "run_experiment", lambda config, **told: result)
    hydra_entry.run_one(run_config(compose_config(overrides)))
    assert (f"plumbing: {SAID}" in capsys.readouterr().out.splitlines()) is is_said
