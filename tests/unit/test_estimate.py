"""What a run would take, told before anything is sent."""

from pathlib import Path

import pytest

from remem.config import compose_config, run_config
from remem.estimate import HISTORIES, QUESTIONS, Estimate, estimate
from remem.instantiation import UsageError

SMALL = [
    "dataset=generated_dialogues",
    "dataset.build.conversations=4",
    "dataset.build.sessions=6",
    "method=remem_s",
    "extractor=llm",
    "reader=direct",
    "llm=gpt-4.1-mini-2025-04-14",
]


def estimated(tmp_path: Path, *overrides: str) -> Estimate:
    return estimate(compose_config([*SMALL, f"paths.results={tmp_path}", *overrides]))


def test_each_episode_takes_two_calls_and_each_question_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)  # nothing is sent
    found = estimated(tmp_path)
    benchmark = run_config(compose_config(SMALL)).build_benchmark()
    asked = sum(len(benchmark.questions(one.id)) for one in benchmark.histories())
    assert (found.histories, found.questions) == (HISTORIES, HISTORIES * QUESTIONS)
    index, read = found.stages
    assert (index.stage, index.units) == ("index", 4)
    assert index.usage.calls == pytest.approx(4 * 6 * 2, rel=0.1)  # scaled by characters
    assert (read.stage, read.units, read.usage.calls) == ("read", asked, asked)
    tokens = index.usage.prompt_tokens, index.usage.completion_tokens
    assert index.dollars == pytest.approx((tokens[0] * 0.40 + tokens[1] * 1.60) / 1e6)
    assert list(tmp_path.iterdir()) == []  # the rehearsal leaves nothing behind


def test_a_limit_of_the_run_is_a_limit_of_the_estimate(tmp_path: Path) -> None:
    _, read = estimated(tmp_path, "run.histories=1", "run.limit=5").stages
    assert read.usage.calls == 5


def test_a_judge_of_its_own_has_its_own_price(tmp_path: Path) -> None:
    judged = ("run.histories=1", "run.limit=2", "judge=llm", "llm@judge_llm=gpt-5-chat")
    *_, judge = estimated(tmp_path, *judged).stages
    usage = judge.usage
    assert (judge.stage, usage.calls) == ("judge", 2)
    dollars = (usage.prompt_tokens * 1.25 + usage.completion_tokens * 10) / 1e6
    assert judge.dollars == pytest.approx(dollars)


@pytest.mark.parametrize("reader", ["llm=smollm2", "llm=gpt-4.1-mini-2025-04-14"])
def test_a_judge_that_asks_for_likelihoods_takes_two_calls_an_answer(
    tmp_path: Path, reader: str
) -> None:
    judged = ("run.histories=1", "run.limit=6", "judge=likelihood", "llm@judge_llm=smollm2")
    *_, read, judge = estimated(tmp_path, "extractor=rules", reader, *judged).stages
    benchmark = run_config(compose_config(SMALL)).build_benchmark()
    questions = benchmark.questions(next(iter(benchmark.histories())).id)[:6]
    answerable = sum(question.gold.category != "5" for question in questions)
    assert 0 < answerable < 6  # rules judge the answers to the others
    assert (read.usage.calls, judge.stage, judge.usage.calls) == (6, "judge", 2 * answerable)
    assert judge.usage.prompt_tokens > judge.usage.completion_tokens > 0
    assert judge.dollars is None  # it has no price


def test_a_judge_that_is_calibrated_for_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"calibrated for SmolLM2.*not for gpt-4\.1-mini"):
        estimated(tmp_path, "run.histories=1", "run.limit=3", "judge=likelihood")


def test_a_run_without_a_model_needs_no_estimate(tmp_path: Path) -> None:
    free = ["dataset=generated_dialogues", "llm=none", f"paths.results={tmp_path}"]
    with pytest.raises(UsageError, match="llm=none sends nothing to an endpoint"):
        estimate(compose_config(free))
