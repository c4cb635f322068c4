"""A worker's part of a run, in this process: its answers, and the keepers that it calls."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import StopRunError
from remem.run.experiment import run_experiment
from remem.run.history_task import HistoryWorker, configuration, kept_chat_model
from remem.run.keepers import CallKeeper, VectorKeeper
from remem.run.remote_calls import Lines
from remem.run.runner import IndexReport
from remem.serve.stub.stub import StubServer, StubSettings


class Directly:
    """A connection without a network, which records the methods it calls."""

    def __init__(self, keeper: CallKeeper | VectorKeeper) -> None:
        self._keeper = keeper
        self.wanted: set[str] = set()

    def ask(self, method: str, *arguments: Any) -> Any:
        self.wanted.add(method)
        return getattr(self._keeper, method)(*arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        self.ask(method, *arguments)


def said(config: RunConfig, folder: Path) -> tuple[list[Any], set[str], set[str]]:
    """Return all answers of a worker, and the methods of both keepers that it called."""
    calls = Directly(CallKeeper(kept_chat_model(config), str(folder)))
    vectors, benchmark = Directly(VectorKeeper(str(folder))), config.build_benchmark()
    worker = HistoryWorker(configuration(config), Lines(calls, vectors))
    answers = [
        answer
        for history in benchmark.histories()
        for answer in worker.answers("w1", history, benchmark.questions(history.id)[: config.limit])
    ]
    return answers, calls.wanted, vectors.wanted


def composed(*overrides: str) -> RunConfig:
    return run_config(compose_config(overrides))


def test_a_worker_gives_the_records_of_a_run_and_leaves_the_store_to_the_keeper(
    tmp_path: Path,
) -> None:
    with StubServer(StubSettings()) as server:
        parts = (
            *("llm=loopback-stub", "embedder=loopback-stub", "method=remem_i", "extractor=llm"),
            *("planner=llm", "reader=direct", "run.limit=2", "run.health=warn"),
            *("dataset.build.conversations=2", "dataset.build.sessions=4"),
            f"llm.build.endpoint.base_url={server.base_url}",
            f"embedder.build.embedder.base_url={server.base_url}",
        )
        serial = run_experiment(composed(*parts, f"paths.results={tmp_path / 'serial'}"))
        asked = set(server.counts.bodies)
        # Relative to the folder of the keeper: nothing of the worker's may be opened there.
        config = composed(*parts, f"paths.results={tmp_path / 'shared'}", "cache.calls=c.sqlite")
        answers, of_calls, of_vectors = said(config, tmp_path)
        assert set(server.counts.bodies) == asked
    records = [answer[0] for answer in answers if isinstance(answer, tuple)]
    told = [answer for answer in answers if isinstance(answer, IndexReport)]
    assert sorted(records, key=lambda one: (one.history_id, one.index)) == list(serial.records)
    assert len(told) == 2
    assert all(item.memory.index_usage.calls and item.memory.index_health.items for item in told)
    assert of_calls >= {"hold", "reserve", "admit", "add_embedding_call"}
    assert of_vectors == {"get_vectors", "put_vectors"}
    assert (tmp_path / "c.sqlite").exists()
    assert not Path("c.sqlite").exists()


@pytest.mark.parametrize("where", ["h1", "h1/1"])
def test_what_stops_a_run_is_the_last_that_is_said_of_a_history(
    where: str, rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path
) -> None:
    rehearsal.STOPPING.add(where)
    config = composed(*rehearsed, f"paths.results={tmp_path}", "runner.workers=1")
    answers, *_ = said(config, tmp_path)
    of_h1 = answers[: [isinstance(answer, StopRunError) for answer in answers].index(True) + 1]
    assert str(of_h1[-1]).startswith(f"no money for {where}")
    assert [item[0].query_id for item in of_h1 if isinstance(item, tuple)] == (
        [] if where == "h1" else ["h1/0"]
    )


def test_a_history_that_cannot_be_indexed_is_told_and_its_questions_end_in_an_error(
    rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path
) -> None:
    rehearsal.BROKEN.add("h2")
    answers, *_ = said(composed(*rehearsed, f"paths.results={tmp_path}"), tmp_path)
    told = [answer.index is not None for answer in answers if isinstance(answer, IndexReport)]
    assert told == [True, False]
    failed = [
        answer[0] for answer in answers if isinstance(answer, tuple) and answer[0].status == "error"
    ]
    assert [record.query_id for record in failed] == ["h2/0", "h2/1"]
