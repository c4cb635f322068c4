"""What a run prints: its budget, its scores as text and as JSON, and notes on them."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import Result

from remem.cli import hydra_entry
from remem.cli.hydra_entry import main, run_one
from remem.cli.run_output import judge_limit, run_limit, show_job
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import BudgetReachedError, QuestionsInErrorError, UsageError
from remem.llm.budget import Budget, Price
from remem.llm.ledger import Ledger
from remem.results.run import Run
from remem.run.run_result import RunResult
from remem.types import Gold, Record, Usage

MODEL = "gpt-4.1-mini-2025-04-14"
PAID = ("method=bm25_messages", "reader=direct", f"llm={MODEL}")
SMALL = ("method=remem_i", "planner=llm", "llm=smollm2")
READS_ONLY = ("method=remem_i", "planner=scripted", "reader=direct", "llm=smollm2")
RECORD = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
SAID = (
    "a model this small cannot extract or plan; these scores only show that its replies can be read"
)
MakeRun = Callable[..., Path]


def config(*overrides: str) -> RunConfig:
    return run_config(compose_config(list(overrides)))


@pytest.mark.app("small_model")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            (),
            f"this command may spend up to $1.00 on {MODEL}; llm.build.budget_dollars=2 changes it "
            "(null: no limit)",
        ),
        (
            ("llm.build.budget_dollars=null",),
            f"no limit in dollars is set for {MODEL}; llm.build.budget_dollars=5 sets one",
        ),
        (("reader=extractive",), None),  # no part asks the model
        (("llm=replay", f"llm@llm.recorded={MODEL}"), None),
        (("llm=loopback-stub",), None),
        (("llm=openai_compatible",), None),
    ],
)
def test_a_run_says_what_it_may_spend_on_a_model_with_a_price(
    changes: tuple[str, ...], said: str | None
) -> None:
    assert run_limit(config(*PAID, *changes)) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("judge=none",), None),
        ((), f"$1.00 on {MODEL}; llm.build.budget_dollars=2"),
        (
            ("llm@judge_llm=gpt-5-chat",),
            "$1.00 on gpt-5-chat-latest; judge_llm.build.budget_dollars=2",
        ),
    ],
)
def test_a_judge_says_it_of_its_own_model(changes: tuple[str, ...], said: str | None) -> None:
    limit = judge_limit(config("judge=llm", *PAID, *changes))
    assert limit == (said and f"this command may spend up to {said} changes it (null: no limit)")


def test_a_ledger_leaves_the_rest_of_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    other = Budget(9.0, Price(1e6, 0.0), Ledger(path))
    other.settle(other.reserve(Usage(1, 7, 0)), Usage(1, 7, 0))
    shared = f"llm.build.ledger={path}"
    for dollars, left in ((10, "$3.00"), (5, "$0.00")):
        said = run_limit(config(*PAID, shared, f"llm.build.budget_dollars={dollars}"))
        start = (
            f"this command may spend up to {left} on {MODEL}, what is left of the ${dollars}.00 in"
        )
        assert said is not None and said.startswith(f"{start} {path};")


def test_a_start_says_it_once_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("dataset.build.conversations=1", "run.limit=1", "llm.build.budget_dollars=0")
    with pytest.raises(BudgetReachedError):  # nothing is sent
        run_one(config(*PAID, *small, f"paths.results={tmp_path}"), json=True)
    said = capsys.readouterr()
    assert said.err.count("remem: this command may spend up to $0.00 on") == 1
    assert "may spend" not in said.out


@pytest.fixture
def printed(ask: Callable[..., Result]) -> Callable[..., str]:
    """Return what a command prints, as one line."""
    return lambda *words: " ".join(ask(*words).output.split())


@pytest.mark.app("small_model")
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


@pytest.mark.app("small_model")
def test_compare_says_which_of_the_runs_is_plumbing(
    make_run: MakeRun, printed: Callable[..., str]
) -> None:
    rules, small = make_run([RECORD]), make_run([RECORD], *SMALL)
    quick = "convention.score.resamples=99"
    assert f"REMem-I (llm): plumbing: {SAID}" in printed("compare", rules, small, quick)
    assert f"REMem-I (llm): plumbing: {SAID}" in printed("compare", small, rules, quick)
    assert "plumbing" not in printed("compare", rules, rules, quick)


@pytest.mark.app("small_model")
@pytest.mark.parametrize(("overrides", "is_said"), [(SMALL, True), (READS_ONLY, False)])
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


@pytest.fixture
def answered(rehearsed: tuple[str, ...], tmp_path: Path) -> Any:
    where = (f"paths.results={tmp_path}", "convention.score.resamples=99")
    return run_config(compose_config([*rehearsed, *where]))


def test_a_run_with_failed_questions_prints_their_errors_and_ends_as_before(
    answered: Any, rehearsal: ModuleType, capsys: Any
) -> None:
    rehearsal.FAILING.add("h1/0")
    with pytest.raises(QuestionsInErrorError, match="1 of 4 questions failed"):
        run_one(answered, json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["questions"] == {"asked": 4, "answered": 3, "failed": 1}
    assert len(found["errors"]) == 1


def test_a_sweep_has_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["remem run", "-m", "method=remem_s,no_memory"])
    with pytest.raises(UsageError, match="--json works only for a single run"):
        main(json=True)
