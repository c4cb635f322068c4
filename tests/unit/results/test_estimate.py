"""The estimated cost of a run, before anything is sent."""

from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.results.estimate import QUESTIONS, UsageEstimate, estimate, rehearsals, rehearse
from remem.run.progress import asked_questions
from remem.run.stream_run import planned_asks

SMALL = [
    "dataset=generated_dialogues",
    "dataset.build.conversations=4",
    "dataset.build.sessions=2",
    "method=remem_s",
    "extractor=llm",
    "reader=direct",
    "llm=gpt-4.1-mini-2025-04-14",
]

PART = ("run.histories=1", "run.limit=2")


def estimated(tmp_path: Path, *overrides: str) -> UsageEstimate:
    return estimate(compose_config([*SMALL, f"paths.results={tmp_path}", *overrides]))


def asked(*overrides: str) -> int:
    """Return the number of questions in the data."""
    benchmark = run_config(compose_config([*SMALL, *overrides])).build_benchmark()
    return sum(len(benchmark.questions(history.id)) for history in benchmark.histories())


def test_each_episode_takes_two_calls_and_each_question_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)  # nothing is sent
    sessions = "dataset.build.sessions=5"  # more questions than are rehearsed
    found = estimated(tmp_path, sessions, f"llm.build.ledger={tmp_path}/ledger.sqlite")
    assert (found.histories, found.questions) == (4, QUESTIONS)
    index, read = found.stages
    assert (index.stage, index.units) == ("index", 4)
    assert index.usage.calls == 4 * 5 * 2
    assert (read.stage, read.units, read.usage.calls) == ("read", *[asked(sessions)] * 2)
    tokens = index.usage.prompt_tokens, index.usage.completion_tokens
    assert index.dollars == pytest.approx((tokens[0] * 0.40 + tokens[1] * 1.60) / 1e6)
    assert list(tmp_path.iterdir()) == []  # the rehearsal leaves nothing behind


def test_of_runs_that_share_an_index_the_first_one_sends_its_calls(tmp_path: Path) -> None:
    with rehearsals() as folder:
        first, second, alone = (
            rehearse(compose_config([*SMALL, f"paths.results={tmp_path}", *changes]), folder)
            for changes in (
                ("method=remem_i", "planner=llm"),
                ("method=remem_s",),
                ("method=remem_s", "cache=bypass"),
            )
        )
    assert [stage.stage for stage in first.stages] == ["index", "recall", "read"]
    assert [stage.stage for stage in second.stages] == ["read"]
    assert alone.stages[0] == first.stages[0]


def test_only_a_part_of_long_histories_is_indexed(tmp_path: Path) -> None:
    long = ("dataset.build.sessions=40", "dataset.build.conversations=3")
    found = estimated(tmp_path, *long)
    assert found.histories < 3
    index, read = found.stages
    assert index.units == 3
    assert index.usage.calls == pytest.approx(3 * 40 * 2, rel=0.02)
    assert read.usage.calls == asked(*long)


def test_a_judge_of_its_own_has_its_own_price(tmp_path: Path) -> None:
    answering = ("reader=extractive", "llm=none", "reader.build.refusal_threshold=0")
    judged = ("extractor=rules", *answering, "judge=llm", "llm@judge_llm=gpt-5-chat")
    *_, judge = estimated(tmp_path, *PART, *judged).stages
    usage = judge.usage
    assert (judge.stage, usage.calls) == ("judge", 2)
    dollars = (usage.prompt_tokens * 1.25 + usage.completion_tokens * 10) / 1e6
    assert judge.dollars == pytest.approx(dollars)


@pytest.mark.app("small_model")
def test_a_judge_that_asks_for_likelihoods_takes_two_calls_an_answer(tmp_path: Path) -> None:
    judged = ("run.histories=1", "run.limit=6", "judge=likelihood", "llm@judge_llm=smollm2")
    *_, read, judge = estimated(tmp_path, "extractor=rules", *judged).stages
    benchmark = run_config(compose_config(SMALL)).build_benchmark()
    questions = benchmark.questions(next(iter(benchmark.histories())).id)[:6]
    answerable = sum(question.gold.category != "5" for question in questions)
    assert 0 < answerable < 6  # rules judge the answers to the others
    assert (read.usage.calls, judge.stage, judge.usage.calls) == (6, "judge", 2 * answerable)
    assert judge.usage.prompt_tokens > judge.usage.completion_tokens > 0
    assert judge.dollars == 0  # the run serves it itself


@pytest.mark.app("small_model")
def test_a_judge_that_is_calibrated_for_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"calibrated for SmolLM2.*not for gpt-4\.1-mini"):
        estimated(tmp_path, "run.histories=1", "run.limit=3", "judge=likelihood")


def test_a_run_without_a_model_sends_nothing_and_says_so(tmp_path: Path) -> None:
    free = ["dataset=generated_dialogues", "llm=none", f"paths.results={tmp_path}"]
    found = estimate(compose_config(free))
    assert (found.stages, found.questions) == ((), 0)
    assert found.free == ("llm=none sends nothing to an endpoint and costs nothing",)


REPLAY = ("llm=replay", "llm@llm.recorded=smollm2")
REPLAYED = (
    "llm=replay reads the replies of smollm2 from the call store (index, recall, read), so it "
    "sends nothing and costs nothing"
)


@pytest.mark.app("small_model")
def test_of_a_replay_with_another_judge_only_the_judge_costs(tmp_path: Path) -> None:
    judge = ("judge=llm", "llm@judge_llm=gpt-4.1-mini-2025-04-14")
    found = estimated(tmp_path, *PART, "extractor=rules", *REPLAY, *judge)
    (judged,) = found.stages
    assert (judged.stage, judged.usage.calls, found.free) == ("judge", 2, (REPLAYED,))
    assert judged.dollars


@pytest.mark.app("small_model")
def test_a_model_that_the_run_serves_takes_calls_and_tokens_and_no_money(tmp_path: Path) -> None:
    local = ("method=remem_i", "planner=llm", "llm=smollm2")
    found = estimated(tmp_path, *PART, *local)
    index, recall, read = found.stages
    assert (index.stage, recall.stage, read.stage) == ("index", "recall", "read")
    # It may write two gists or one fact: every message of the two sessions is asked for alone, and
    # for its gists each half of a session before that.
    benchmark = run_config(compose_config(SMALL)).build_benchmark()
    sessions = next(iter(benchmark.histories())).episodes
    messages = sum(len(session.messages) for session in sessions)
    assert index.usage.calls == 3 * messages - len(sessions)
    for stage in found.stages:
        assert stage.usage.prompt_tokens > stage.usage.completion_tokens > 0
        assert stage.dollars == 0
    assert index.usage.completion_tokens <= index.usage.calls * 256
    assert found.free == (
        "llm=smollm2 runs on this machine (index, recall, read): it costs no money",
    )
    # A model that may write more is asked for larger parts.
    larger = estimated(tmp_path, *PART, "llm=gguf").stages[0].usage.calls
    assert larger < index.usage.calls / 4


def test_a_run_that_asks_while_its_memory_grows_is_asked_more_often(tmp_path: Path) -> None:
    part = ("run.histories=1", "run.limit=5")
    _, batch = estimated(tmp_path, *part).stages
    index, read = estimated(tmp_path, *part, "run.stream=session").stages
    assert batch.usage.calls == 5
    assert index.units == 1  # the memory is appended to, not built again
    config = run_config(compose_config([*SMALL, *part, "run.stream=session"]))
    benchmark = config.build_benchmark()
    questions = asked_questions(benchmark, config.histories, config.limit)
    assert read.usage.calls == planned_asks(config, benchmark, questions) > 5
