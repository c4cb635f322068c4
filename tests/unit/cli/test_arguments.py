"""The names and overrides that a shell completes, and the runs that an argument may name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from remem.benchmarks.files.notes import datasets_folder, read_notes
from remem.cli import main as cli
from remem.cli.arguments import check_run
from remem.cli.names import dataset_names
from remem.errors import UsageError
from remem.run.store import RECORDS

REMEM = Path(sys.executable).parent / "remem"
OWN_MEMORY = Path(__file__).parents[3] / "examples/own_memory/conf"


def bash(*words: str) -> list[str]:
    """Return what bash is given to choose from; the last word is the one to complete."""
    asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    return _completed({**asked, "_REMEM_COMPLETE": "complete_bash"}).split()


def zsh(line: str) -> str:
    return _completed({"_TYPER_COMPLETE_ARGS": line, "_REMEM_COMPLETE": "complete_zsh"})


def _completed(asked: dict[str, str]) -> str:
    environment = {**os.environ, **asked}
    done = subprocess.run([REMEM], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_an_empty_word_offers_the_groups_and_no_table() -> None:
    offered = bash("remem", "run", "")
    assert {"method=", "dataset=", "reader=", "llm=", "ablation="} <= set(offered)
    assert not {"table=", "score=", "paths=", "prices="} & set(offered)


def test_a_word_that_one_group_begins_with_offers_its_choices_at_once() -> None:
    offered = bash("remem", "run", "me")
    assert "method=remem_i" in offered
    assert all(word.startswith("method=") for word in offered)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("method", "=", "rem"), ["remem_i", "remem_s"]),
        (("dataset=locomo", "method", "=", "bm"), ["bm25_messages", "bm25_sessions"]),
        (("-m", "runner", "="), ["ray", "serial", "threads"]),
        (("runner", "=", ""), ["ray", "serial", "threads"]),
        (("nothing", "=", ""), []),
        (("judge=none", "planner=sy"), ["planner=symbolic"]),
    ],
)
def test_bash_completes_what_follows_the_sign(words: tuple[str, ...], offered: list[str]) -> None:
    assert bash("remem", "run", *words) == offered


def test_zsh_completes_the_whole_word_and_describes_it() -> None:
    offered = zsh("remem run method=rem")
    assert '"method=remem_s":' in offered
    assert "bm25" not in offered


@pytest.mark.parametrize("option", ["--config-dir", "--trust-config"])
def test_a_folder_of_ones_own_adds_its_choices(option: str) -> None:
    words = ("remem", "run", option, str(OWN_MEMORY), "method", "=", "m")
    assert {"mem0", "mem0_graph", "my_memory"} <= set(bash(*words))


def test_other_verbs_complete_their_overrides_too() -> None:
    assert bash("remem", "estimate", "extractor", "=", "") == ["llm", "rules"]


@pytest.mark.app("small_model")
def test_a_verb_with_names_completes_these_and_overrides() -> None:
    assert bash("remem", "table", "real-model-r") == ["real-model-realtalk"]
    assert bash("remem", "table", "offline", "extractor", "=", "") == ["llm", "rules"]
    words = ("remem", "table", "--config-dir", str(OWN_MEMORY), "method", "=", "m")
    assert "my_memory" in bash(*words)
    assert "reader=direct" in bash("remem", "bundle", "pack", "offline", "re")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("table off", ["offline"]),
        ("table recoll", ["recollection"]),
        ("data fetch loc", ["locomo", "locomo_plus"]),
        ("data fetch locomo real", ["realtalk"]),
        ("data prompts rel", ["released"]),
        ("list met", ["method"]),
        ("compare A B --score ble", ["bleu1"]),
        ("score A --set str", ["strict"]),
    ],
)
def test_a_shell_completes_what_can_be_named(
    typed: str,
    completed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_REMEM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"remem {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    with pytest.raises(SystemExit):
        cli.app(prog_name="remem")
    assert capsys.readouterr().out.split() == completed


def test_the_datasets_that_are_completed_are_those_with_notes() -> None:
    assert dataset_names() == [note.name for note in read_notes(datasets_folder())]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "locomo" / "remem_i+extractive"
    folder.mkdir(parents=True)
    (folder / RECORDS).touch()
    return folder


def test_a_folder_that_holds_a_run_is_one(run: Path) -> None:
    assert check_run(run) == run


def test_a_folder_above_runs_is_refused_with_a_run_below_it(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        check_run(tmp_path)
    said = str(refused.value)
    assert said.startswith(f"{tmp_path} is not a run: it has no {RECORDS}; expected")
    assert said.endswith(f"; did you mean {str(run)!r}?")


def test_a_missing_run_is_refused_with_the_nearest_name_next_to_it(run: Path) -> None:
    with pytest.raises(
        UsageError, match=r"it does not exist; .*did you mean 'remem_i\+extractive'"
    ):
        check_run(run.with_name("remem_j+extractive"))
