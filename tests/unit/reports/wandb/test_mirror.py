"""A run is mirrored on request; a failure is reported in one line and harms nothing."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from remem.cli.hydra_entry import run_one
from remem.cli.table_output import mirror_table
from remem.config.run_config import RunConfig, compose_config, configure, run_config
from remem.errors import UsageError
from remem.reports.wandb.mirror import Wanted, mirror, read_payload
from remem.results.run import Run
from remem.tables.table import Table

TABLE = Table("offline", "The offline table", ())
EXAMPLE = Path(__file__).parents[4] / "examples" / "own_score"


class Failing:
    """A stand-in for the package that always fails, and counts its calls."""

    def __init__(self) -> None:
        self.asked = 0

    def init(self, **_: object) -> None:
        self.asked += 1
        raise OSError("no route\nto host")

    Settings = SimpleNamespace


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    package = Failing()
    monkeypatch.setitem(sys.modules, "wandb", package)
    for name in ("WANDB_ERROR_REPORTING", "WANDB_DATA_DIR", "WANDB_CACHE_DIR"):
        monkeypatch.setenv(name, "set")  # what is set now is restored after the test
    return package


def logged(folder: Path, *overrides: str) -> RunConfig:
    results = Run.open(folder).config.results
    chosen = ["logger=wandb", f"paths.results={results}", *overrides]
    return run_config(compose_config(chosen))


def test_a_failure_is_one_line_with_the_command_for_later(written, failing, capsys) -> None:
    folder = written()
    mirror(logged(folder), [folder, folder])
    (line,) = capsys.readouterr().err.splitlines()
    assert "OSError: no route to host" in line
    assert line.endswith(f"remem wandb {folder} {folder}")
    assert failing.asked == 1


def test_a_lacking_package_is_told_with_what_brings_it(written, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    folder = written()
    mirror(logged(folder), [folder])
    assert "pip install '.[wandb]'" in capsys.readouterr().err


def test_a_failure_does_not_change_how_a_run_ends(
    rehearsed: tuple[str, ...], tmp_path: Path, failing: Failing, capsys
) -> None:
    chosen = [*rehearsed, f"paths.results={tmp_path}", "convention.score.resamples=9"]
    plain = run_one(run_config(compose_config(chosen)))
    assert run_one(run_config(compose_config([*chosen, "logger=wandb"]))) == plain
    assert failing.asked == 1
    assert "no route" in capsys.readouterr().err


def test_a_table_that_fails_is_sent_by_repeating_the_command(failing: Failing, capsys) -> None:
    mirror(run_config(compose_config(["logger=wandb"])), [], table=TABLE)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("remem: the table was not sent to W&B")
    assert line.endswith("to send it, repeat this command")


def test_without_a_logger_nothing_is_asked(written, failing: Failing, capsys) -> None:
    folder = written()
    mirror(run_config(compose_config([])), [folder])
    assert (failing.asked, capsys.readouterr().err) == (0, "")


def test_the_logger_is_no_part_of_a_fingerprint() -> None:
    plain, logging = (
        run_config(compose_config(chosen)) for chosen in ([], ["logger=wandb", "logger.group=g"])
    )
    assert plain.fingerprint([]) == logging.fingerprint([])


def test_runs_of_a_stub_are_refused_unless_allowed(written, failing: Failing, capsys) -> None:
    plain, stubbed = written(), written("llm=loopback-stub", "reader=direct")
    with pytest.raises(UsageError, match="--allow-stub"):
        read_payload(Run.open(stubbed), Wanted())
    payload = read_payload(Run.open(stubbed), Wanted(allow_stub=True))
    assert payload.tags[-1] == "loopback-stub"
    mirror(logged(plain), [stubbed, plain])
    refused, failed = capsys.readouterr().err.splitlines()
    assert "--allow-stub" in refused and str(plain) not in refused
    assert "no route" in failed and str(stubbed) not in failed


def test_the_runs_of_a_table_are_mirrored_each_once(written, failing: Failing, capsys) -> None:
    folder = written()
    results = Run.open(folder).config.results
    run = folder.relative_to(results).as_posix()
    overrides = ["logger=wandb", f"paths.results={results}"]
    mirror_table(configure(*overrides), [run, "", run, "runs/that/is/missing"], TABLE)
    assert capsys.readouterr().err.count(str(folder)) == 1


def test_a_score_of_a_package_of_ones_own_is_mirrored_with_a_table(
    written, failing: Failing, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(EXAMPLE)
    own = f"hydra.searchpath=[file://{EXAMPLE / 'conf'}]"
    folder = written(own, "+score=starts_alike", "run.packages=[starts_alike]")
    results = Run.open(folder, packages=["starts_alike"]).config.results
    run = folder.relative_to(results).as_posix()
    overrides = ["logger=wandb", f"paths.results={results}", "run.packages=[starts_alike]"]
    mirror_table(configure(*overrides), [run], TABLE)
    said = capsys.readouterr().err
    assert "no route" in said
    assert f"remem wandb {folder} --package=starts_alike" in said
