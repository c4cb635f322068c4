"""A rival is checked before the first question of a run; a replay says what the run found."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.bundle.pack import pack
from remem.bundle.replay import replay
from remem.config.run_config import RunConfig, configure
from remem.reports.html import table_files
from remem.reports.html.report import head_of
from remem.results.run import Run
from remem.results.run_notes import failed_checks_note, run_notes
from remem.run.experiment import run_experiment
from remem.run.memory_checks import CHECKS, MemoryCheck, read_memory_checks, write_memory_checks
from remem.run.progress import no_view
from remem.run.store import CANONICAL, read_manifest
from remem.serve.stub.stub import StubServer

NAMES = ["answers", "empty", "finds", "dates", "isolation", "repeats", "questions"]
UNCHECKED = "not checked before the first question: remem doctor method=hipporag2 llm=<model>"


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


def rival(stub: StubServer, results: Path, *more: str) -> RunConfig:
    return configure(
        *("method=hipporag2", "llm=loopback-stub", "dataset=generated_dialogues"),
        *("dataset.build.conversations=1", "dataset.build.sessions=4", "run.limit=2"),
        *("method.build.top_k=2", "convention.score.resamples=9", f"paths.results={results}"),
        f"llm.build.endpoint.base_url={stub.base_url}",
        *(more or ("reader=extractive",)),
    )


def test_a_rival_is_checked_once_and_its_calls_are_kept(stub: StubServer, tmp_path: Path) -> None:
    config = rival(stub, tmp_path)
    result = run_experiment(config)
    checks = read_memory_checks(result.folder)
    assert [check.name for check in checks] == NAMES
    assert all(check.passed for check in checks)
    assert [note for note in run_notes(Run.of(config, result)) if "check" in note] == []
    # The calls about the planted facts are no part of the usage of the run.
    sent = stub.counts.total.replies
    (usage,) = read_manifest(result.folder).index_usage.values()
    calls = usage.calls + sum(record.recall_usage.calls for record in result.records)
    assert sent > calls
    again = run_experiment(rival(stub, tmp_path, "reader=typed"))
    assert read_memory_checks(again.folder) == checks
    assert stub.counts.total.replies == sent

    # A run of stored replies is not checked, and says so.
    stored = ("llm=replay", "llm@llm.recorded=loopback-stub", "reader=always_refuse")
    where = f"llm.recorded.build.endpoint.base_url={stub.base_url}"
    plain = [
        *("method=hipporag2", "dataset=generated_dialogues", "dataset.build.conversations=1"),
        *("dataset.build.sessions=4", "run.limit=2", "method.build.top_k=2"),
        *("convention.score.resamples=9", f"paths.results={tmp_path}"),
    ]
    config = configure(*plain, *stored, where)
    replayed = run_experiment(config)
    assert (result.errors, replayed.errors) == (0, 0)
    assert not (replayed.folder / CHECKS).exists()
    assert f"The memory of HippoRAG 2 was {UNCHECKED}." in [*run_notes(Run.of(config, replayed))]
    facts = dict(head_of(Run.open(replayed.folder)).facts)
    assert facts["checks of the memory"] == UNCHECKED


def test_a_bundle_has_which_checks_failed_but_not_what_was_found(
    stub: StubServer, tmp_path: Path
) -> None:
    folder = run_experiment(rival(stub, tmp_path / "results")).folder
    checks = (MemoryCheck("answers", True, "yes"), MemoryCheck("dates", False, "a secret"))
    write_memory_checks(folder, checks)
    file = pack([folder], tmp_path / "one.remem", no_view, allow_stub=True, files=table_files).path
    assert b"secret" not in file.read_bytes()
    replay(file, tmp_path, tmp_path / "again", no_view, files=table_files)
    (path,) = (tmp_path / "again").rglob(CANONICAL)
    found = json.loads((path.parent / CHECKS).read_bytes())
    told = "the details are not in the bundle"
    assert found == [
        {"name": "answers", "passed": True, "found": told},
        {"name": "dates", "passed": False, "found": told},
    ]
    assert [*failed_checks_note("X", Run.open(path.parent))] == [
        *failed_checks_note("X", Run.open(folder))
    ]
    assert [*failed_checks_note("X", Run.open(folder))] == [
        "X failed checks before the first question: dates (memory_checks.json)."
    ]
