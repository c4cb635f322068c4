"""The verbs that pack runs, check bundles and replay them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from remem.errors import UsageError
from remem.run.run_result import RunResult

Ask = Callable[..., Result]


def test_a_run_is_packed_verified_and_replayed(
    run: RunResult, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.remem"
    refused = ask("bundle", "pack", run.folder, "--out", file)
    assert "--package" in str(refused.exception) and not file.exists()
    written = ask("bundle", "pack", run.folder, "--out", file, "--package", "rehearsal")
    assert written.exit_code == 0, written.output
    assert "Written:" in written.output and "derive from the data sets" in written.output
    checked = ask("bundle", "verify", file)
    assert "Intact:" in checked.output and "4 questions, 0 calls, 0 vectors" in checked.output
    monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "results"))
    refused = ask("bundle", "replay", file)
    assert "--package" in str(refused.exception)
    assert not list((tmp_path / "results").rglob("*.json"))
    again = ask("bundle", "replay", file, "--package", "rehearsal", "--results", tmp_path / "again")
    assert again.exit_code == 0, again.output
    assert "1 run, 4 records: same result" in again.output
    assert f"Next: remem view {tmp_path / 'again'}" in again.output
    assert list((tmp_path / "again" / "runs").rglob("records.canonical.jsonl"))


def test_what_is_neither_a_run_nor_a_table_is_named(
    run: RunResult, ask: Ask, tmp_path: Path
) -> None:
    refused = ask("bundle", "pack", tmp_path / "none", "--out", tmp_path / "no.remem")
    assert isinstance(refused.exception, UsageError)
    assert f"{tmp_path}/none is neither a run" in str(refused.exception)
    assert "choose" in str(refused.exception) and "recollection" in str(refused.exception)
    words = ("run.limit=3", "--out", tmp_path / "no.remem")
    refused = ask("bundle", "pack", run.folder, *words)
    assert "run.limit=3 applies only to tables" in str(refused.exception)
    refused = ask("bundle", "pack", "offline", "+x=1", *words)
    assert "a table in a bundle may not override '+x=1'" in str(refused.exception)
    assert not (tmp_path / "no.remem").exists()
