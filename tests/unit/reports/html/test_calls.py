"""A report takes the calls behind an answer from the call store, without asking a model."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.reports.html.calls import CallsOfQuestions, read_calls
from remem.reports.html.report import write_report
from remem.results.run import Run
from remem.run.experiment import run_experiment
from remem.serve.stub.stub import StubServer, StubSettings


@pytest.fixture
def finished(
    tiny: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path
) -> Iterator[tuple[RunConfig, Path]]:
    """A finished run of four questions on a stub that no longer runs."""
    with StubServer(StubSettings()) as stub:
        config = run_config(
            compose_config(
                [
                    *tiny,
                    *("method=full_context", "reader=direct", "llm=loopback-stub"),
                    f"llm.build.endpoint.base_url={stub.base_url}",
                    f"paths.results={tmp_path}",
                ]
            )
        )
        folder = run_experiment(config).folder
    yield config, folder


def test_every_answer_has_the_prompt_and_the_completion_it_came_from(finished) -> None:
    run = Run.open(finished[1], ["rehearsal"])
    calls = read_calls(run)
    assert (set(calls.by_question), calls.missing) == ({"h1/0", "h1/1", "h2/0", "h2/1"}, 0)
    (call,) = calls.by_question["h1/0"]
    assert (call["stage"], call["outcome"]) == ("read", "ok")
    role, place = call["messages"][-1]
    assert role == "user"
    assert "Which entity was the R1 of E2 in 1965?" in calls.texts[place]
    counts = run.records[0].read_usage
    assert call["tokens"] == [1, counts.prompt_tokens, counts.completion_tokens]
    assert len(set(calls.texts)) == len(calls.texts)  # a text of many calls is kept once


def test_a_lacking_call_store_is_an_error_and_calls_that_it_lacks_are_counted(finished) -> None:
    config, folder = finished
    store = Path(config.resolved["llm"]["build"]["store"])
    for path in store.parent.glob(f"{store.name}*"):
        path.unlink()
    run = Run.open(folder, ["rehearsal"])
    with pytest.raises(FileNotFoundError, match="no call store"):
        read_calls(run)
    store.touch()
    assert read_calls(run) == CallsOfQuestions({}, [], 4)


def test_a_run_without_a_model_has_no_calls(make_run, tmp_path: Path) -> None:
    assert read_calls(Run.open(make_run([]))) == CallsOfQuestions()


def test_calls_are_in_a_report_only_where_they_are_wanted(finished) -> None:
    assert b'"calls":[{' not in write_report(finished[1]).read_bytes()
    page = write_report(finished[1], with_calls=True, packages=["rehearsal"]).read_bytes()
    assert b'"calls":[{' in page
