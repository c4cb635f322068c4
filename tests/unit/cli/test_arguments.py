"""The names and overrides that a shell completes, and the runs that an argument may name."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.cli import main as cli
from remem.cli.arguments import check_run
from remem.errors import UsageError
from remem.run.store import RECORDS

REMEM = Path(sys.executable).parent / "remem"
OWN_MEMORY = Path(__file__).parents[3] / "examples/own_memory/conf"
Bash = Callable[..., list[str]]


@pytest.fixture
def bash(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bash:
    """Return a function that returns bash's completions of the last word."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_REMEM_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(("remem", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):
            cli.app(prog_name="remem")
        return capsys.readouterr().out.split()

    return complete


def test_an_empty_word_offers_the_groups_and_no_table(bash: Bash) -> None:
    offered = bash("run", "")
    assert {"method=", "dataset=", "reader=", "llm=", "ablation="} <= set(offered)
    assert not {"table=", "score=", "paths=", "prices="} & set(offered)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("run", "dataset=locomo", "method", "=", "bm"), ["bm25_messages", "bm25_sessions"]),
        (("run", "-m", "runner", "="), ["ray", "serial", "threads"]),
        (("run", "nothing", "=", ""), []),
        (("run", "judge=none", "planner=sy"), ["planner=symbolic"]),
        (("table", "offline", "extractor", "=", ""), ["llm", "rules"]),
        (("table", "off"), ["offline"]),
        (("data", "fetch", "locomo", "real"), ["realtalk"]),
        (("data", "prompts", "rel"), ["released"]),
        (("list", "met"), ["method"]),
        (("compare", "A", "B", "--score", "ble"), ["bleu1"]),
        (("score", "A", "--set", "str"), ["strict"]),
    ],
)
def test_bash_completes_names_and_what_follows_the_sign(
    bash: Bash, words: tuple[str, ...], offered: list[str]
) -> None:
    assert bash(*words) == offered


def test_zsh_completes_the_whole_word_and_describes_it() -> None:
    asked = {"_TYPER_COMPLETE_ARGS": "remem run method=rem", "_REMEM_COMPLETE": "complete_zsh"}
    environment = {**os.environ, **asked}
    done = subprocess.run([REMEM], env=environment, capture_output=True, text=True, check=True)
    assert '"method=remem_s":' in done.stdout
    assert "bm25" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("option", ["--config-dir", "--trust-config"])
def test_a_folder_of_ones_own_adds_its_choices(bash: Bash, option: str) -> None:
    offered = bash("run", option, str(OWN_MEMORY), "method", "=", "m")
    assert {"mem0", "mem0_graph", "my_memory"} <= set(offered)


@pytest.mark.app("small_model")
def test_a_verb_with_names_completes_these_and_overrides(bash: Bash) -> None:
    assert bash("table", "real-model-r") == ["real-model-realtalk"]
    assert "my_memory" in bash("table", "--config-dir", str(OWN_MEMORY), "method", "=", "m")
    assert "reader=direct" in bash("bundle", "pack", "offline", "re")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "locomo" / "remem_i+extractive"
    folder.mkdir(parents=True)
    (folder / RECORDS).touch()
    return folder


def test_what_is_no_run_is_refused_with_the_nearest_one(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        check_run(tmp_path)
    said = str(refused.value)
    assert said.startswith(f"{tmp_path} is not a run: it has no {RECORDS}; expected")
    assert said.endswith(f"; did you mean {str(run)!r}?")
    with pytest.raises(
        UsageError, match=r"it does not exist; .*did you mean 'remem_i\+extractive'"
    ):
        check_run(run.with_name("remem_j+extractive"))
