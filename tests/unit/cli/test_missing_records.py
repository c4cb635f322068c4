"""A run with missing records is not scored, compared or reported; the same run asks them again."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.cli import main as cli
from remem.config.run_config import compose_config, run_config
from remem.errors import MissingRecordsError
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import MANIFEST, RECORDS, read_records

Said = Callable[..., tuple[int, str]]
LOSSES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "cut": (lambda lines: [*lines[:-1], lines[-1][:-30]], 3),
    "without its second line": (lambda lines: [lines[0], *lines[2:]], 3),
    "emptied": (lambda lines: [], 0),
}
"""What is done to the lines of a run of 4 questions, and how many records are left."""


@pytest.fixture
def run(rehearsed: tuple[str, ...], tmp_path: Path) -> Callable[[], RunResult]:
    config = run_config(compose_config([*rehearsed, f"paths.results={tmp_path}"]))
    return lambda: run_experiment(config)


@pytest.fixture
def remem(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Call the command in this process; return its exit code and the end of stderr."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def call(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["remem", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), capsys.readouterr().err.strip()

    return call


def lose(folder: Path, loss: str) -> None:
    lines = (folder / RECORDS).read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    (folder / RECORDS).write_bytes(b"".join(LOSSES[loss][0](lines)))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_run_whose_records_are_missing_is_not_scored_compared_or_reported(
    loss: str, run: Callable[[], RunResult], remem: Said, tmp_path: Path
) -> None:
    folder = run().folder
    lose(folder, loss)
    refused = (
        f"remem: {folder / RECORDS} has {LOSSES[loss][1]} of the 4 questions that {MANIFEST} "
        f"counts; run `remem run` with the same settings to ask the missing questions again"
    )
    page = tmp_path / "report.html"
    package = ("--package", "rehearsal")
    assert remem("score", folder, "--score", "f1") == (1, refused)
    assert remem("compare", folder, folder) == (1, refused)
    assert remem("report", folder, "--out", page, *package) == (1, refused)
    assert not page.exists()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_missing_questions_are_asked_again_by_the_same_run(
    loss: str, run: Callable[[], RunResult]
) -> None:
    whole = run()
    lose(whole.folder, loss)
    assert run() == whole
    assert read_records(whole.folder) == whole.records


def test_a_run_that_goes_on_has_more_records_than_its_manifest_counts(
    rehearsed: tuple[str, ...], tmp_path: Path, run: Callable[[], RunResult]
) -> None:
    changes = [*rehearsed, f"paths.results={tmp_path}", "run.histories=1"]
    part = run_experiment(run_config(compose_config(changes)))
    manifest = (part.folder / MANIFEST).read_bytes()
    whole = run()
    (part.folder / MANIFEST).write_bytes(manifest)
    assert len(part.records) == 2
    assert read_records(part.folder) == whole.records


def test_a_run_that_was_killed_before_its_first_end_is_read(
    run: Callable[[], RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.run.manifest.ManifestWriter.finish", lambda *of: None)
    folder = run().folder
    lose(folder, "cut")
    assert len(read_records(folder)) == 3


def test_a_lost_answer_that_leaves_an_earlier_error_is_noticed(
    run: Callable[[], RunResult],
    change_records: Callable[[Path, Callable[[bytes], bytes]], None],
) -> None:
    folder = run().folder
    change_records(
        folder,
        lambda line: (
            line.replace(b'"status":"ok"', b'"status":"error"') if b'"h1/0"' in line else line
        ),
    )
    with pytest.raises(MissingRecordsError, match=r"has 3 of the 4 answers that manifest\.json"):
        read_records(folder)
