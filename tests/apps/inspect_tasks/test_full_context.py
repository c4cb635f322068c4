"""The full-context task sends a model the same prompts as a run does."""

from pathlib import Path
from types import ModuleType

import pytest

from remem.apps.inspect_tasks.full_context import full_context_config, prompted_questions
from remem.config.run_config import configure
from remem.errors import UsageError
from remem.run.experiment import run_experiment

SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=2",
    "dataset.build.sessions=2",
    "run.limit=3",
)


def test_the_prompts_are_those_that_a_run_sends(tmp_path: Path, scripted_model: ModuleType) -> None:
    scripted_model.SCRIPTS.append(lambda request, repeat: "Answer: Ann")
    model = "reader.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
    run = ("method=full_context", "reader=direct", model, "run.packages=[scripted_model]")
    run_experiment(configure(*SMALL, *run, f"paths.results={tmp_path}"))
    config = full_context_config(SMALL)
    prompts = [prompt for _, prompt in prompted_questions(config, config.build_benchmark(), [])]
    assert len(prompts) == 6
    assert prompts == [request.messages for request in scripted_model.ASKED]


def test_only_the_named_histories_are_asked_about() -> None:
    config = full_context_config(SMALL)
    benchmark = config.build_benchmark()
    second = benchmark.histories()[1].id
    asked = [question for question, _ in prompted_questions(config, benchmark, [second])]
    assert [question.query.history_id for question in asked] == [second] * 3


def test_an_unknown_history_is_named_with_one_that_exists() -> None:
    config = full_context_config(SMALL)
    with pytest.raises(
        UsageError, match=r"unknown history 'gen-9' .number of histories .*: 2.; did you mean"
    ):
        list(prompted_questions(config, config.build_benchmark(), ["gen-9"]))


def test_a_memory_that_recalls_nothing_is_named_with_the_question() -> None:
    config = full_context_config([*SMALL, "method=no_memory"])
    with pytest.raises(UsageError, match="nothing was recalled for question"):
        list(prompted_questions(config, config.build_benchmark(), []))
