"""A timed run uses nothing of earlier runs, counts waiting separately, and has one process."""

import json
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply
from remem.run.experiment import run_experiment
from remem.run.manifest import note_own_process
from remem.run.run_manifest import RunManifest
from remem.run.run_result import RunResult
from remem.run.started_run import EndpointWaits
from remem.run.store import MANIFEST, TIMINGS, read_manifest
from remem.serve.stub.stub import StubServer, StubSettings
from remem.tables.paper.runs import run_apart
from remem.tables.paper.timed import untimed
from remem.types import Usage

REMEM_S = ("method=remem_s", "reader=symbolic")
BYPASS = ("cache=bypass", "runner=serial")


def manifest(result: RunResult) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((result.folder / MANIFEST).read_bytes())
    return content


def composed(tmp_path: Path, *overrides: str) -> RunConfig:
    return run_config(compose_config([*overrides, f"paths.results={tmp_path}"]))


def run(results: Path, *overrides: str) -> RunResult:
    return run_experiment(composed(results, *overrides))


def test_indexes_that_are_there_do_not_serve_a_run_that_bypasses_caches(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    first = run(tmp_path, *tiny, *REMEM_S)
    kept = sorted((tmp_path / "cache" / "indexes").iterdir())
    timed = run(tmp_path, *tiny, *REMEM_S, *BYPASS)
    assert manifest(timed)["indexes_built"] == 2
    assert manifest(timed)["indexes_reused"] == 0
    assert sorted((tmp_path / "cache" / "indexes").iterdir()) == kept
    assert timed.folder != first.folder
    assert timed.records == first.records


def test_replies_that_are_there_do_not_serve_it_and_its_waits_are_apart(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    with StubServer(StubSettings(latency_seconds=0.02)) as server:
        model = ("llm=loopback-stub", f"llm.build.endpoint.base_url={server.base_url}")
        asked = (*tiny, *model, "method=full_context", "reader=direct", "run.limit=1")
        run(tmp_path, *asked)
        before = len(list(tmp_path.rglob("calls.sqlite")))
        timed = run(tmp_path, *asked, *BYPASS)
    assert len(list(tmp_path.rglob("calls.sqlite"))) == before + 1
    lines = [json.loads(line) for line in (timed.folder / TIMINGS).read_text().splitlines()]
    assert sum(line["waited_seconds"] for line in lines) >= 0.02
    for line in lines:
        assert line["waited_seconds"] <= line["recall_seconds"] + line["read_seconds"]
    assert manifest(timed)["index_waited_seconds"] == 0.0


@pytest.mark.parametrize("overrides", [("cache=use",), ("cache=bypass", "runner=threads")])
def test_waits_are_told_of_no_other_run(tmp_path: Path, overrides: tuple[str, ...]) -> None:
    assert EndpointWaits(composed(tmp_path, *overrides).settings).since_last() is None


def test_waits_are_those_since_they_were_asked_for_before(tmp_path: Path) -> None:
    settings = composed(tmp_path, *BYPASS).settings
    waits = EndpointWaits(settings)
    assert waits.since_last() == 0.0
    assert settings.cache is not None
    store = CallStore(Path(settings.cache.calls))
    reply = ChatReply("yes", (), truncated=False, usage=Usage(1, 1, 1))
    # A malformed try and the reply have both what was waited for the two of them: 2 + 3 seconds.
    store.keep_error(Sent("a", "index", "{}", 0.0, 5.0), "no JSON")
    store.keep_reply(Sent("a", "index", "{}", 2.0, 3.0), reply)
    # The same texts were embedded twice.
    store.keep_reply(Sent("b", "embed", "{}", 0.25), reply)
    store.keep_reply(Sent("b", "embed", "{}", 0.5), reply)
    assert waits.since_last() == pytest.approx(5.75)
    store.keep_reply(Sent("c", "read", "{}", 1.5, 0.0), reply)
    assert waits.since_last() == pytest.approx(1.5)
    assert waits.since_last() == 0.0


def test_a_part_of_the_questions_is_another_measurement_and_two_starts_are_none(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    asked = (*tiny, "method=no_memory", "reader=always_refuse", *BYPASS)
    assert run(tmp_path, *asked).folder != run(tmp_path, *asked, "run.limit=1").folder
    assert len(run(tmp_path, *asked, "run.limit=1").records) == 2
    again = run(tmp_path, *asked)
    note_own_process(again.folder)
    assert untimed(read_manifest(again.folder)) == "its process also did other work"


def test_a_process_of_its_own_is_measured_apart_from_this_one(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    ballast = bytearray(400 * 2**20)
    asked = (*tiny, "method=no_memory", "reader=always_refuse", *BYPASS)
    run_apart((*asked, f"paths.results={tmp_path}"))
    (path,) = tmp_path.rglob(MANIFEST)
    content = read_manifest(path.parent)
    assert untimed(content) == ""
    assert 30 < content.peak_rss_mib < len(ballast) / 2**20


def test_what_a_process_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_apart(("dataset=locomo", f"paths.data={tmp_path}", f"paths.results={tmp_path}"))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"cache": {"name": "use"}}, "cached"),
        ({"runner": {"name": "threads", "workers": 8}}, "not serial: 8"),
        ({"errors": 3}, "3 questions in error"),
        ({"own_process": False}, "its process also did other work"),
        ({}, ""),
    ],
)
def test_a_run_that_was_made_otherwise_is_no_measurement(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    config = {**composed(tmp_path, *BYPASS).resolved}
    config |= {group: change for group, change in changes.items() if group in config}
    said = {name: change for name, change in changes.items() if name not in config}
    found = untimed(RunManifest(**{"config": config, "own_process": True, **said}))
    assert found.startswith(why)
    assert bool(found) == bool(why)
