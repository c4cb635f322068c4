"""A run is judged beside its records: once for each answer and repeat, by any number of judges."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.instantiation import UsageError
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.judging import Judged, judge_run, read_verdicts
from remem.metrics.scores import summarise
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult

MODEL = "judge.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
YES, NO = '{"label": "CORRECT"}', '{"label": "WRONG"}'
Configure = Callable[..., RunConfig]


@pytest.fixture
def configure(rehearsed: tuple[str, ...], tmp_path: Path) -> Configure:
    """Compose the rehearsal with the judge of a scripted model."""
    packages = "run.packages=[rehearsal,scripted_model]"

    def make(*overrides: str) -> RunConfig:
        chosen = [*rehearsed, packages, f"paths.results={tmp_path}", *overrides]
        return run_config(compose_config(chosen))

    return make


@pytest.fixture
def result(configure: Configure, rehearsal: ModuleType) -> RunResult:
    """A run of which one question of four ended in an error."""
    rehearsal.FAILING.add("h2/1")
    return run_experiment(configure())


def judged(config: RunConfig, result: RunResult) -> Judged:
    return judge_run(config, result.folder, result.records)


def test_every_answer_is_judged_once_and_errors_are_not(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: YES if "h1/0" in request.messages[1].content else NO
    )
    found = judged(config, result)
    assert found == Judged(3, {"h1/0": 1.0, "h1/1": 0.0, "h2/0": 0.0})
    assert judged(config, result) == Judged(0, found.verdicts)
    assert len(scripted_model.ASKED) == 3
    assert read_verdicts(config, result.folder, result.records) == found.verdicts


def test_a_judge_of_rubrics_is_given_the_gold_and_its_half_points_are_kept(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=beam", MODEL)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: (
            '{"score": "1"}' if "rubric: is red" in request.messages[1].content else '{"score": 0}'
        )
    )
    records = [
        replace(record, gold=replace(record.gold, items=("is red", "is a bus")))
        for record in result.records
    ]
    found = judge_run(config, result.folder, records)
    assert found == Judged(3, {"h1/0": 0.5, "h1/1": 0.5, "h2/0": 0.5})
    assert read_verdicts(config, result.folder, records) == found.verdicts
    assert judge_run(config, result.folder, records).asked == 0


def test_a_verdict_that_is_not_to_be_had_is_an_error_and_the_next_start_asks_again(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: "I cannot say" if "h1/1" in request.messages[1].content else YES
    )
    assert judged(config, result) == Judged(
        3,
        {"h1/0": 1.0, "h2/0": 1.0},
        ("UnusableReplyError: expected the label CORRECT or WRONG, found []",),
    )
    scripted_model.SCRIPTS[:] = [lambda request, repeat: NO]
    assert judged(config, result) == Judged(1, {"h1/0": 1.0, "h1/1": 0.0, "h2/0": 1.0})


def test_repeats_are_asked_of_the_model_as_repeats_and_averaged(
    configure: Configure, result: RunResult, scripted_model: ModuleType
) -> None:
    config = configure("judge=llm", MODEL, "judge.repeats=4", "runner.workers=3")
    scripted_model.SCRIPTS.append(lambda request, repeat: YES if repeat else NO)
    found = judged(config, result)
    assert found == Judged(12, dict.fromkeys(("h1/0", "h1/1", "h2/0"), 0.75))
    summary = summarise(result.records, config.score_convention(), found.verdicts)
    assert summary.overall.means["llm_judge"] is not None
    assert (summary.overall.means["llm_judge"].mean, summary.overall.means["llm_judge"].n) == (
        0.75,
        3,
    )


def test_each_judge_has_a_file_of_its_own_and_the_run_keeps_its_name(
    configure: Configure, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("=== user ===\n{{ question }}\n")
    plain, chosen = configure("judge=llm", MODEL), configure("judge=llm", MODEL)
    own = configure("judge=llm", MODEL, f"judge.build.prompt={mine}")
    assert plain.judgments == chosen.judgments != own.judgments
    first = own.judgments
    mine.write_text("=== user ===\n{{ question }}!\n")
    assert own.judgments != first
    assert plain.judgments is not None
    assert plain.judgments.startswith("judgments.llm-")
    stubbed = configure("judge=llm", "llm=loopback-stub").judgments
    assert stubbed is not None
    assert stubbed.startswith("judgments.llm-loopback-stub-")
    assert plain.judge_prompt == "own"
    assert own.judge_prompt.startswith("mine.txt:")
    assert configure().judge_prompt == "none"
    assert plain.fingerprint([]) == own.fingerprint([]) == configure().fingerprint([])


def test_without_a_judge_nothing_is_judged_or_read(configure: Configure, result: RunResult) -> None:
    assert read_verdicts(configure(), result.folder, result.records) is None
    with pytest.raises(UsageError, match="no judge is chosen"):
        judged(configure(), result)
    summary = summarise(result.records, configure().score_convention(), None)
    assert summary.overall.means["llm_judge"] is None
