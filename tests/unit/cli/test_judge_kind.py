"""The verdicts of a judge that is not the paper's are shown with what they are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from remem.cli.main import app
from remem.config.run_config import compose_config, run_config
from remem.reports.html.report import write_report
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.types import Gold, Record

RECORD = Record("h/q", "h", 0, "What?", Gold(("red",), "1"), "ok", answer="red")
KIND = "likelihood by a small model, not the paper's judge"
each_judge = pytest.mark.parametrize(
    ("judge", "is_the_papers"), [pytest.param("likelihood", False), pytest.param("llm", True)]
)
MakeRun = Callable[..., Path]


def judged_by(judge: str, folder: Path) -> Path:
    """Write a verdict of this judge on the answer of a run; return the run."""
    chosen = compose_config([f"judge={judge}", "llm@judge_llm=smollm2"])
    name = run_config(chosen).judgments
    assert name is not None
    with open_judgments(folder / name) as log:
        for case in cases_of([RECORD], "by_category", 1):
            log.append(Judgment(case, "ok", correct=True))
    return folder


@each_judge
def test_score_heads_the_verdicts_with_the_kind_of_the_judge(
    make_run: MakeRun, judge: str, is_the_papers: bool
) -> None:
    folder = judged_by(judge, make_run([RECORD]))
    done = CliRunner().invoke(app, ["score", str(folder), "--set", "paper"], catch_exceptions=False)
    heading = "LLM-J" if is_the_papers else KIND
    assert f"{heading} ({judge})" in done.output
    assert ("LLM-J" in done.output) is is_the_papers


def test_a_long_kind_leaves_room_for_the_scores_of_all_conventions(make_run: MakeRun) -> None:
    folder = judged_by("likelihood", make_run([RECORD]))
    done = CliRunner().invoke(app, ["score", str(folder)], catch_exceptions=False)
    judged = next(line for line in done.output.splitlines() if "likelihood by a small" in line)
    assert judged.count("100.0 (n = 1)") == 3


@each_judge
def test_a_report_says_of_which_kind_its_judge_is(
    make_run: MakeRun, judge: str, is_the_papers: bool
) -> None:
    folder = judged_by(judge, make_run([RECORD]))
    page = write_report(folder).read_text("utf-8").replace("&#39;", "'")
    assert (f"LLM-J: {KIND}." in page) is not is_the_papers
    assert '<th class="number">LLM-J</th>' in page
