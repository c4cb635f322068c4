"""What a start of the command imports: a verb imports what it needs, and nothing else."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.cli.main import LazyVerbs
from remem.types import Gold, Record

STARTED = """
import sys
from remem.__main__ import main
sys.argv = ["remem", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
finally:
    sys.stderr.write("imported: " + " ".join(sys.modules))
"""
LIGHT_VERBS = (("--help",), ("run", "--help"), ("list",), ("list", "method"))
HEAVY = {
    *("hydra", "numpy", "pandas", "scipy", "pydantic", "omegaconf", "rich", "openai"),
    *("networkx", "jinja2", "sacrebleu", "bm25s", "nltk", "tenacity"),
}
ONE_QUESTION = (
    *("run", "dataset=generated_dialogues", "dataset.build.conversations=1"),
    *("dataset.build.sessions=2", "method=no_memory", "run.limit=1", "run.histories=1"),
    "convention.score.resamples=99",
)
NOT_FOR_ONE_QUESTION = {
    *("pandas", "scipy", "networkx", "openai", "tenacity", "jinja2", "bm25s", "nltk", "wandb"),
    *("remem.reports.wandb", "remem.reports.html", "remem.run.ray_runner", "remem.bundle"),
    *("remem.evaluation.graphs", "remem.tables.paper", "remem.serve.stub.stub"),
}


def imported(*arguments: str) -> set[str]:
    """Run the command in a process of its own; return all modules that it imported."""
    command = [sys.executable, "-c", STARTED, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stderr.rpartition("imported: ")[2].split())


def test_help_imports_no_verb() -> None:
    verbs = {f"remem.cli.{name.replace('-', '_')}" for name in LazyVerbs()}
    assert imported("--help") & verbs == set()
    assert imported("audit", "--help") & verbs == {"remem.cli.audit"}


@pytest.mark.parametrize("arguments", LIGHT_VERBS, ids=" ".join)
def test_help_and_lists_import_no_heavy_package(arguments: tuple[str, ...]) -> None:
    modules = imported(*arguments)
    assert "remem.cli.main" in modules
    assert modules & HEAVY == set()


def test_a_run_of_one_question_imports_only_what_it_uses(tmp_path: Path) -> None:
    modules = imported(*ONE_QUESTION, f"paths.results={tmp_path}")
    assert "remem.run.experiment" in modules
    assert modules & NOT_FOR_ONE_QUESTION == set()


def test_what_reads_a_run_does_not_import_pandas(make_run: Callable[..., Path]) -> None:
    folder = str(make_run([Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")]))
    for verb in (("score", folder), ("compare", folder, folder), ("report", folder)):
        assert "pandas" not in imported(*verb), verb


def test_completion_knows_the_groups_without_composing_a_configuration() -> None:
    code = (
        "import sys; from remem.cli.naming import choices, group_names;"
        "print(*(choice for name in group_names() for choice in choices(name)), *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    words = set(done.stdout.split())
    assert {"remem_i", "bm25_messages", "offline", "locomo_1"} <= words
    assert words & {"hydra", "omegaconf"} == set()


def test_a_job_is_the_same_run_with_and_without_the_application_of_hydra(tmp_path: Path) -> None:
    plain = [sys.executable, "-m", "remem.run", *ONE_QUESTION[1:], f"paths.results={tmp_path}"]
    folders = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        for command in (plain, [*plain, "hydra.job.name=another"])
    ]
    assert folders[0] == folders[1]
    assert len((Path(folders[0]) / "records.jsonl").read_text().splitlines()) == 1
