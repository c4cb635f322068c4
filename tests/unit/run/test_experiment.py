"""A run from start to end: what is asked again, what an error costs, threads, who sees the gold."""

import dataclasses
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from omegaconf import DictConfig

from remem.config.run_config import compose_config, run_config
from remem.errors import BudgetReachedError, StopRunError
from remem.run.experiment import run_experiment
from remem.run.progress import Progress
from remem.run.run_result import RunResult
from remem.run.store import CANONICAL, MANIFEST, RECORDS
from remem.types import REFUSAL_PHRASE, Episode, Gold, History, Message, Query, Question

Run = Callable[..., RunResult]


@cache
def composed(*overrides: str) -> DictConfig:
    return compose_config(overrides)


def runner(parts: tuple[str, ...], folder: Path) -> Run:
    def run(*overrides: str, results: str = "results", **progress: Any) -> RunResult:
        config = composed(*parts, "run.health=warn", *overrides).copy()
        config.paths.results = str(folder / results)
        return run_experiment(run_config(config), **progress)

    return run


@pytest.fixture
def run(tmp_path: Path, rehearsed: tuple[str, ...]) -> Run:
    """Run the rehearsal with some overrides."""
    return runner(rehearsed, tmp_path)


@pytest.fixture
def run_method(tmp_path: Path, tiny: tuple[str, ...]) -> Run:
    """Run a method of ours on the benchmark of the rehearsal."""
    return runner(tiny, tmp_path)


def statuses(result: RunResult) -> dict[str, str]:
    return {record.query_id: record.status for record in result.records}


def manifest(result: RunResult) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((result.folder / MANIFEST).read_bytes())
    return content


def test_every_question_gets_a_record_with_what_was_recalled(
    run: Run, rehearsal: ModuleType
) -> None:
    result = run()
    assert list(statuses(result)) == ["h1/0", "h1/1", "h2/0", "h2/1"]
    first = result.records[0]
    assert (first.status, first.answer, first.context_tokens) == ("ok", "answer to h1/0", 7)
    assert [(item.id, item.source) for item in first.retrieved] == [("p1", ("m1",))]
    assert (first.llm, first.gold.answers, first.error) == ("none", ("SECRET",), "")
    assert (result.total, result.errors) == (4, 0)
    assert rehearsal.INDEXED == ["h1", "h2"]


def test_a_resumed_run_answers_only_what_is_missing(run: Run, rehearsal: ModuleType) -> None:
    whole = run()
    canonical = (whole.folder / CANONICAL).read_bytes()
    lines = (whole.folder / RECORDS).read_bytes().splitlines(keepends=True)
    (whole.folder / RECORDS).write_bytes(b"".join(lines[:3]) + lines[3][:20])
    rehearsal.ASKED.clear()
    rehearsal.INDEXED.clear()
    assert run().records == whole.records
    assert (rehearsal.INDEXED, rehearsal.ASKED) == (["h2"], ["h2/1"])
    assert (whole.folder / CANONICAL).read_bytes() == canonical


def test_a_question_in_error_spares_the_others_and_is_the_only_one_asked_again(
    run: Run, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h1/1")
    result = run()
    assert statuses(result) == {"h1/0": "ok", "h1/1": "error", "h2/0": "ok", "h2/1": "ok"}
    assert result.errors == 1
    error = result.records[1]
    assert error.error.startswith("TimeoutError: no answer in time (rehearsal.py:")
    assert (error.error.endswith(" in recall)"), error.answer) == (True, "")
    assert (manifest(result)["answered"], manifest(result)["errors"]) == (3, 1)

    rehearsal.FAILING.clear()
    rehearsal.ASKED.clear()
    result = run()
    assert rehearsal.ASKED == ["h1/1"]
    assert result.errors == 0
    assert manifest(result)["errors"] == 0


@pytest.mark.parametrize("runner", ["serial", "threads"])
@pytest.mark.parametrize("where", ["h2", "h2/0"])
def test_a_budget_that_is_reached_records_nothing_and_the_next_start_goes_on(
    runner: str, where: str, run: Run, rehearsal: ModuleType, tmp_path: Path
) -> None:
    whole = run(results="whole")
    rehearsal.STOPPING.add(where)
    with pytest.raises(BudgetReachedError, match=f"no money for {where}"):
        run(f"runner={runner}")
    (log,) = (tmp_path / "results").rglob(RECORDS)
    kept = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert {record["status"] for record in kept} == {"ok"}
    assert {record["query_id"] for record in kept} >= {"h1/0", "h1/1"}
    assert "h2/0" not in {record["query_id"] for record in kept}

    rehearsal.STOPPING.clear()
    resumed = run(f"runner={runner}")
    assert resumed.records == whole.records
    assert (resumed.folder / CANONICAL).read_bytes() == (whole.folder / CANONICAL).read_bytes()


ACCOUNTING = ("method.build._target_=rehearsal.Accounting", "+method.index_artefact=[]")


def test_a_history_without_any_gist_or_fact_stops_the_run_and_is_no_error_record(
    run: Run, rehearsal: ModuleType, tmp_path: Path
) -> None:
    rehearsal.EMPTY.add("h2")
    with pytest.raises(StopRunError, match="no gist and no fact was extracted from history h2"):
        run(*ACCOUNTING)
    (log,) = (tmp_path / "results").rglob(RECORDS)
    kept = [json.loads(line)["query_id"] for line in log.read_bytes().splitlines()]
    assert kept == ["h1/0", "h1/1"]


def test_what_indexes_took_and_the_episodes_that_failed_are_in_the_manifest(
    run: Run, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h1")
    content = manifest(run(*ACCOUNTING))
    failed = {"history": "h1", "episode": "m1", "reason": "no usable reply"}
    assert content["failed_episodes"] == [failed]
    took = {"calls": 2, "prompt_tokens": 30, "completion_tokens": 4} | dict.fromkeys(
        ("cut_replies", "rejected_replies"), 0
    )
    assert content["index_usage"] == {"h1": took, "h2": took}
    assert manifest(run(*ACCOUNTING))["failed_episodes"] == [failed]


def test_an_index_with_a_failed_episode_is_built_again_by_the_next_run(
    run: Run, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h1")
    run(*ACCOUNTING)
    rehearsal.FAILING.clear()
    rehearsal.INDEXED.clear()
    other = manifest(run(*ACCOUNTING, "convention.run.final_answer=proposed"))
    assert rehearsal.INDEXED == ["h1"]
    assert len(rehearsal.LOADED) == 1
    assert other["failed_episodes"] == []


def test_an_error_is_told_in_one_line(
    run: Run, rehearsal: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    rehearsal.FAILING.add("h1/1")
    rehearsal.BROKEN.add("h2")
    caplog.set_level("INFO")
    run()
    own = ("remem.run.question_record", "INFO")
    lines = [entry for entry in caplog.records if (entry.name, entry.levelname) == own]
    assert [entry.getMessage() for entry in lines] == [
        "question h1/1 could not be answered: no answer in time",
        "history h2 could not be indexed: h2 is unreadable",
    ]
    assert all(entry.exc_info is None for entry in lines)


def test_a_history_that_cannot_be_indexed_costs_its_own_questions_only(
    run: Run, rehearsal: ModuleType
) -> None:
    rehearsal.BROKEN.add("h1")
    result = run()
    assert statuses(result) == {"h1/0": "error", "h1/1": "error", "h2/0": "ok", "h2/1": "ok"}
    assert result.records[0].error.startswith("ValueError: h1 is unreadable (rehearsal.py:")
    rehearsal.BROKEN.clear()
    assert run().errors == 0


def test_a_limit_asks_the_first_questions_of_each_history_and_stamps_the_run_as_partial(
    run: Run, rehearsal: ModuleType
) -> None:
    result = run("run.limit=1")
    assert rehearsal.ASKED == ["h1/0", "h2/0"]
    assert (result.total, manifest(result)["questions"]) == (2, 4)
    assert manifest(result)["partial"]

    rehearsal.ASKED.clear()
    result = run()
    assert rehearsal.ASKED == ["h1/1", "h2/1"]
    assert not manifest(result)["partial"]


def test_the_first_histories_are_taken_and_stamp_the_run_as_partial(
    run: Run, rehearsal: ModuleType
) -> None:
    result = run("run.histories=1")
    assert {record.history_id for record in result.records} == {"h1"}
    assert rehearsal.INDEXED == ["h1"]
    assert manifest(result)["partial"]
    assert run().folder == result.folder  # the whole run goes on from there


def test_a_limit_takes_nothing_from_a_whole_run(run: Run, rehearsal: ModuleType) -> None:
    whole = run()
    limited = run("run.limit=1")
    assert limited.folder == whole.folder
    assert [record.query_id for record in limited.records] == ["h1/0", "h2/0"]  # what was asked
    assert len((limited.folder / CANONICAL).read_bytes().splitlines()) == len(whole.records)
    assert not manifest(limited)["partial"]


def test_progress_starts_where_the_last_start_ended(run: Run, rehearsal: ModuleType) -> None:
    run("run.limit=1")
    told: list[Progress] = []
    run("runner=serial", on_progress=told.append)
    assert [(now.indexed, now.histories, now.done, now.questions) for now in told] == [
        (0, 2, 2, 4),
        (1, 2, 2, 4),
        (1, 2, 3, 4),
        (2, 2, 3, 4),
        (2, 2, 4, 4),
    ]


def test_progress_counts_the_failed_questions_and_only_the_first_is_a_warning(
    run: Run, rehearsal: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    rehearsal.FAILING.update(("h1/0", "h2/1"))
    told: list[Progress] = []
    result = run("runner=serial", on_progress=told.append)
    assert (told[-1].failed, len(result.failures)) == (2, 2)
    warnings = [record for record in caplog.records if record.levelname == "WARNING"]
    assert [record.getMessage() for record in warnings] == [
        f"question h1/0 failed: {result.failures[0]}"
    ]


def test_threads_give_the_same_canonical_records_as_one_worker(
    run: Run, rehearsal: ModuleType
) -> None:
    rehearsal.FAILING.add("h3/0")
    one, several = (
        run("dataset.build.histories=6", f"runner={runner}", results=runner)
        for runner in ("serial", "threads")
    )
    assert (one.folder / CANONICAL).read_bytes() == (several.folder / CANONICAL).read_bytes()
    assert one.folder.name == several.folder.name


@pytest.mark.parametrize("lexical", ["bm25", "rank_bm25"])
def test_threads_may_share_a_memory_that_builds_its_index_at_the_first_search(
    run_method: Run, lexical: str
) -> None:
    parts = ("method=bm25_messages", f"lexical={lexical}", "reader=symbolic")
    one = run_method(*parts, results="one")
    several = run_method(*parts, "runner=threads", results="several")
    assert one.errors == 0
    assert (one.folder / CANONICAL).read_bytes() == (several.folder / CANONICAL).read_bytes()


def test_with_threads_an_answer_is_recorded_before_a_slower_one_is_there(
    run: Run, rehearsal: ModuleType
) -> None:
    def let_the_first_one_go(now: Progress) -> None:
        if now.done:
            rehearsal.ARRIVED.set()

    patient = ("method.build._target_=rehearsal.Patient", "runner=threads")
    assert run(*patient, on_progress=let_the_first_one_go).errors == 0


def test_a_memory_and_a_reader_never_see_the_gold(run: Run, rehearsal: ModuleType) -> None:
    run()
    assert {type(seen).__name__ for seen in rehearsal.SEEN} == {"History", "Query", "Evidence"}
    assert "SECRET" not in repr(rehearsal.SEEN)
    assert rehearsal.TOLD == []


@pytest.mark.parametrize("kind", [History, Episode, Message, Query])
def test_what_a_memory_is_given_has_no_place_for_gold(kind: type) -> None:
    types = " ".join(str(field.type) for field in dataclasses.fields(kind))
    assert not any(word in types for word in ("Gold", "Question", "Record", "Any"))


def test_the_oracle_is_told_the_gold_of_what_it_is_asked(run: Run, rehearsal: ModuleType) -> None:
    told = "method.build._target_=rehearsal.Told"
    run("run.limit=1", told)
    assert rehearsal.TOLD == []  # a method that does not say so is told nothing
    run("run.limit=1", told, "+method.sees_gold=true", results="told")
    assert [question.query.id for question in rehearsal.TOLD] == ["h1/0", "h2/0"]
    assert rehearsal.TOLD[0].gold.evidence == ("m1",)


def test_the_oracle_recalls_the_evidence_and_nothing_else(run_method: Run) -> None:
    result = run_method("method=oracle_message", "reader=symbolic")
    assert result.errors == 0
    assert {item.source for record in result.records for item in record.retrieved} == {("m1",)}


def test_the_planner_has_the_last_word_where_the_convention_says_so(run_method: Run) -> None:
    parts = ("method=remem_i", "planner=symbolic", "reader=always_refuse")
    synthesised = run_method(*parts, "convention.run.final_answer=synthesise").records[0]
    proposed = run_method(*parts, "convention.run.final_answer=proposed").records[0]
    assert synthesised.answer == REFUSAL_PHRASE
    assert proposed.answer == proposed.proposed_answer == "E1"


def test_an_oracle_without_any_evidence_stops_before_a_question_is_asked(
    run_method: Run, rehearsal: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = [Question(Query("h1/0", "h1", 0, "?"), Gold(("SECRET",), "kind"))]
    monkeypatch.setattr(rehearsal.Tiny, "questions", lambda self, history: asked)
    oracle = ("method=oracle_message", "reader=always_refuse")
    with pytest.raises(StopRunError, match="no question of tiny has any"):
        run_method(*oracle, "run.health=stop")
    assert not (tmp_path / "results").exists()
    assert run_method(*oracle, "run.health=warn").total == 1
