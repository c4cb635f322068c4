"""A run of the rehearsal, and the verbs to call on it."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner, Result

from remem.cli.main import app
from remem.config.run_config import compose_config, run_config
from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import Judgment, open_judgments
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult

Ask = Callable[..., Result]


@pytest.fixture
def run(rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunResult:
    return run_experiment(run_config(compose_config([*rehearsed, f"paths.results={tmp_path}"])))


@pytest.fixture
def ask() -> Ask:
    """Call the command with words, and return what it printed and raised."""
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def judged(run: RunResult) -> Callable[..., None]:
    """Write a judge's verdicts on every answer of the run, one for each repeat."""

    def write(*verdicts: bool) -> None:
        with open_judgments(run.folder / "judgments.mine.jsonl") as log:
            for case in cases_of(run.records, "by_category", len(verdicts)):
                log.append(Judgment(case, "ok", correct=verdicts[case.repeat]))

    return write
