"""Runs that ask while the memory grows end like a batch run, and survive kills."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from remem.bundle.gathering import read_packed_run
from remem.cli.measure import score_notes
from remem.config.run_config import configure
from remem.errors import UsageError
from remem.protocols import Memory
from remem.results.run import Run
from remem.results.run_notes import LAST_CHECKPOINT
from remem.run.checkpoint_store import (
    CANONICAL_CHECKPOINTS,
    CHECKPOINTS,
    read_checkpoint_timings,
    read_growth,
    read_marked,
)
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import CANONICAL, RECORDS

SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=2",
    "dataset.build.sessions=8",
)
data = os.environ.get("REMEM_DATA")


def ran(results: Path, *overrides: str) -> RunResult:
    return run_experiment(configure(*overrides, f"paths.results={results}"))


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A run that asked while its memory grew; tests only read it."""
    results = tmp_path_factory.mktemp("stream")
    return ran(results, *SMALL, "method=bm25_messages", "run.stream=session")


def canonical(folder: Path, name: str = CANONICAL) -> bytes:
    return (folder / name).read_bytes()


def test_the_last_checkpoint_has_the_bytes_of_the_batch_run(tmp_path: Path) -> None:
    batch = ran(tmp_path, *SMALL, "method=remem_i")
    stream = ran(tmp_path, *SMALL, "method=remem_i", "run.stream=session")
    assert batch.folder != stream.folder
    assert canonical(stream.folder) == canonical(batch.folder)
    marked = read_marked(stream.folder)
    last = {record.query_id: record for mark, record in marked if mark.is_last}
    assert last == {record.query_id: record for record in batch.records}
    assert stream.earlier.answers == len(marked)


@pytest.mark.skipif(data is None, reason="REMEM_DATA is unset")
def test_the_last_checkpoint_of_a_locomo_conversation_has_the_bytes_of_the_batch_run(
    tmp_path: Path,
) -> None:
    chosen = ("dataset=locomo", "run.histories=1", "run.limit=40", "method=remem_i")
    batch = ran(tmp_path, *chosen)
    stream = ran(tmp_path, *chosen, "run.stream=session", "run.stream_every=3")
    assert canonical(stream.folder) == canonical(batch.folder)


def test_threads_give_the_records_of_one_question_at_a_time(
    tmp_path: Path, stream: RunResult
) -> None:
    chosen = (*SMALL, "method=bm25_messages", "run.stream=session")
    threads = ran(tmp_path, *chosen, "runner=threads", "runner.workers=4")
    names = (CANONICAL, CANONICAL_CHECKPOINTS)
    assert [canonical(threads.folder, name) for name in names] == [
        canonical(stream.folder, name) for name in names
    ]


def test_before_its_evidence_a_question_is_asked_of_the_sessions_so_far(stream: RunResult) -> None:
    early = [(mark, record) for mark, record in read_marked(stream.folder) if not mark.is_last]
    assert any(mark.answerable == "not yet" for mark, _ in early)
    for mark, record in early:
        sessions = {int(found.id[1:].split(":")[0]) for found in record.retrieved}
        assert max(sessions, default=0) <= mark.sessions
    assert len(read_checkpoint_timings(stream.folder)) == len(early)


def test_the_growth_of_a_memory_is_recorded_session_by_session(tmp_path: Path) -> None:
    stream = ran(tmp_path, *SMALL, "method=remem_s", "run.stream=session", "run.histories=1")
    growth = read_growth(stream.folder)
    assert [(line.since, line.sessions) for line in growth] == [(n, n + 1) for n in range(8)]
    sizes = [line.index_bytes or 0 for line in growth]
    assert sizes == sorted(sizes)
    assert sizes[0] > 0
    assert not any(line.rebuilt for line in growth)


def test_a_memory_that_cannot_append_is_built_again(tmp_path: Path) -> None:
    chosen = (*SMALL, "method=bm25_messages", "run.histories=1")
    batch = ran(tmp_path, *chosen)
    stream = ran(tmp_path, *chosen, "run.stream=session", "+method.appends=false")
    assert canonical(stream.folder) == canonical(batch.folder)
    growth = read_growth(stream.folder)
    assert {(line.since, line.rebuilt) for line in growth} == {(0, True)}


class Breaking:
    """A memory that cannot index the fourth session."""

    def __init__(self, inner: Memory, state: dict[str, bool]) -> None:
        self._inner = inner
        self._state = state
        self._sessions = 0

    def index(self, history) -> None:
        self._sessions += len(history.episodes)
        if self._state["broken"] and self._sessions > 3:
            raise RuntimeError("the disk of the memory is gone")
        self._inner.index(history)

    def recall(self, query):
        return self._inner.recall(query)


def test_an_error_is_recorded_at_its_checkpoint_and_asked_again(tmp_path: Path) -> None:
    chosen = (*SMALL, "method=bm25_messages", "run.histories=1", "run.stream=session")
    config = configure(*chosen, f"paths.results={tmp_path}")
    state = {"broken": True}
    make = config.memory_factory()
    given = replace(config, given_memory=lambda: Breaking(make(), state))
    first = run_experiment(given)
    assert first.errors == first.total
    assert any("the disk of the memory is gone" in error for error in first.earlier.failures)
    failed = {mark.sessions for mark, record in read_marked(first.folder) if record.status != "ok"}
    assert failed == {4, 5, 6, 7, 8}
    state["broken"] = False
    second = run_experiment(given)
    assert (second.errors, second.earlier.failures) == (0, ())
    whole = ran(tmp_path / "whole", *chosen)
    for name in (CANONICAL, CANONICAL_CHECKPOINTS):
        assert canonical(second.folder, name) == canonical(whole.folder, name)


def lines(results: Path) -> int:
    logs = (results / "runs").glob(f"*/*/*/{CHECKPOINTS}")
    return sum(path.read_bytes().count(b"\n") for path in logs)


def test_a_stream_that_was_killed_at_any_point_ends_as_one_that_was_not(
    tmp_path: Path, kill_at: Callable[..., None]
) -> None:
    parts = (*SMALL, "method=remem_i", "run.stream=session")
    undisturbed = ran(tmp_path / "undisturbed", *parts)
    total = canonical(undisturbed.folder, CANONICAL_CHECKPOINTS).count(b"\n")
    killed = tmp_path / "killed"
    for moment in (3, 2 * total // 3):
        kill_at(parts, killed, CHECKPOINTS, moment)
        assert lines(killed) == moment
    resumed = ran(killed, *parts)
    for name in (CANONICAL, CANONICAL_CHECKPOINTS):
        assert canonical(resumed.folder, name) == canonical(undisturbed.folder, name)
    answered = (resumed.folder / RECORDS).read_bytes().splitlines()
    assert len(answered) == len({json.loads(line)["query_id"] for line in answered})
    growth = {(line.history_id, line.sessions) for line in read_growth(resumed.folder)}
    assert len(growth) == 16


def test_lines_that_are_missing_are_not_overlooked(tmp_path: Path, stream: RunResult) -> None:
    folder = tmp_path / stream.folder.name
    shutil.copytree(stream.folder, folder)
    path = folder / CHECKPOINTS
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[2:]))
    with pytest.raises(ValueError, match=r"manifest\.json counts; run `remem run`"):
        read_marked(folder)
    path.write_bytes(b"".join([kept[0].replace(b"sessions", b"Sessions"), *kept[1:]]))
    with pytest.raises(ValueError, match=r"checkpoints.jsonl:1: the line changed"):
        read_marked(folder)


def test_a_stream_is_not_packed_and_its_scores_say_what_they_are(stream: RunResult) -> None:
    with pytest.raises(UsageError, match=r"is a run with run\.stream=session"):
        read_packed_run(stream.folder, allow_stub=False)
    assert score_notes(Run.open(stream.folder)) == (LAST_CHECKPOINT,)


@pytest.mark.parametrize("method", ["bm25_messages", "oracle_message"])
def test_where_facts_change_each_checkpoint_has_the_gold_of_its_time(
    method: str, tmp_path: Path
) -> None:
    chosen = (
        "dataset=generated_updates",
        "dataset.build.conversations=2",
        "dataset.build.sessions=8",
        f"method={method}",
    )
    batch = ran(tmp_path, *chosen)
    stream = ran(tmp_path, *chosen, "run.stream=session")
    assert canonical(stream.folder) == canonical(batch.folder)
    marked = [pair for pair in read_marked(stream.folder) if pair[0].answerable == "yes"]
    assert any(mark.outdated for mark, _ in marked)
    for mark, record in marked:
        (evidence,) = record.gold.evidence
        assert int(evidence[1:].split(":")[0]) == mark.sessions - (mark.evidence_sessions or 0)
        assert {*record.gold.answers}.isdisjoint(mark.outdated)
        if method == "oracle_message":  # it is given the evidence of that time
            assert [found.id for found in record.retrieved] == [evidence]
