"""What a start of the command imports: a verb imports what it needs, and nothing else."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.cli.main import modules
from remem.types import Gold, Record

STARTED = """
import sys
from remem.__main__ import main
for words in " ".join(sys.argv[1:]).split(" then "):
    sys.argv = ["remem", *words.split()]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, stop.code
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
    *("remem.results.memory_graphs", "remem.tables.paper", "remem.serve.stub.stub"),
}


def imported(*arguments: str) -> set[str]:
    """Run commands, with "then" between them, in a new process; return all imported modules."""
    command = [sys.executable, "-c", STARTED, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stderr.rpartition("imported: ")[2].split())


def test_help_imports_no_verb() -> None:
    of_verbs = set(modules().values())
    assert imported("--help") & of_verbs == set()
    assert imported("data", "audit", "--help") & of_verbs == {"remem.cli.data"}


@pytest.mark.parametrize("arguments", LIGHT_VERBS, ids=" ".join)
def test_help_and_lists_import_no_heavy_package(arguments: tuple[str, ...]) -> None:
    names = imported(*arguments)
    assert "remem.cli.main" in names
    assert names & HEAVY == set()


def test_a_run_of_one_question_imports_only_what_it_uses(tmp_path: Path) -> None:
    names = imported(*ONE_QUESTION, f"paths.results={tmp_path}")
    assert "remem.run.experiment" in names
    assert names & NOT_FOR_ONE_QUESTION == set()


def test_what_reads_a_run_does_not_import_pandas(make_run: Callable[..., Path]) -> None:
    folder = str(make_run([Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")]))
    verbs = (("score", folder), ("compare", folder, folder), ("report", folder))
    names = imported(*verbs[0], "then", *verbs[1], "then", *verbs[2])
    assert {"remem.cli.measure", "remem.cli.pages"} <= names
    assert "pandas" not in names


def test_completion_knows_the_groups_without_composing_a_configuration() -> None:
    code = (
        "import sys; from remem.cli.names import descriptions, group_names;"
        "print(*(choice for name in group_names() for choice in descriptions(name)), *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    words = set(done.stdout.split())
    assert {"remem_i", "bm25_messages", "offline", "locomo_1"} <= words
    assert words & {"hydra", "omegaconf"} == set()
