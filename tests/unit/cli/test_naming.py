"""What arguments may name: refused with the nearest name, completed by a shell."""

from pathlib import Path

import pytest

from remem.benchmarks.files.notes import datasets_folder, read_notes
from remem.cli import main as cli
from remem.cli.arguments import check_run
from remem.cli.names import dataset_names
from remem.errors import UsageError
from remem.run.store import RECORDS


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("table off", ["offline"]),
        ("table recoll", ["recollection"]),
        ("tables recoll", ["recollection"]),
        ("fetch loc", ["locomo", "locomo_plus"]),
        ("fetch locomo real", ["realtalk"]),
        ("fetch-prompts rel", ["released"]),
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
