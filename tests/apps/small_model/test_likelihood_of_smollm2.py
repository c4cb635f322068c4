"""judge=likelihood with the packaged model: hand-made cases, equal bytes, and a replay."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from remem.apps.small_model.llama_likelihood import ask_llama
from remem.apps.small_model.local_server import LocalServer
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.llm.likelihood import LikelihoodRequest
from remem.protocols import Judge

# It is looked for and not imported: next to the libraries of other extras its own end the process.
IS_MISSING = find_spec("xllamacpp") is None
pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(IS_MISSING, reason="xllamacpp is not installed: make tiny-llm"),
]

WHERE, DOG, DATE = "Where did Ann move to?", "Which dog did Ann adopt?", "When did Ann adopt a dog?"
COUNT, WHY = "How many dogs does Ann have?", "Why did Ann start running?"
CASES = (
    (WHERE, "Lisbon", "Ann moved to Lisbon.", True),
    (WHERE, "Lisbon", "Ann moved to the capital of Portugal.", True),
    (WHERE, "Lisbon", "Ann moved to Oslo.", False),
    (WHERE, "Lisbon", "I do not have that information.", False),
    (DOG, "a black labrador", "She adopted a labrador with black fur.", True),
    (DOG, "a black labrador", "She adopted a cat named Tom.", False),
    (DATE, "7 May 2023", "On May 7, 2023, she adopted a dog.", True),
    (DATE, "7 May 2023", "On May 9, 2023, she adopted a dog.", False),
    (COUNT, "3", "Ann has three dogs.", True),
    (COUNT, "3", "Ann has 5 dogs.", False),
    (WHY, "to clear her head", "Running helps her to clear her mind.", True),
)
REQUESTS = [
    LikelihoodRequest("judge", f"Question: {question}\nReply: {answer}\nIn short:", f" {gold}")
    for question, gold, answer, _ in CASES[::3]
]


def server(**differing: object) -> LocalServer:
    overrides = [f"llm.build.endpoint.server.{key}={value}" for key, value in differing.items()]
    resolved = run_config(compose_config(["llm=smollm2", *overrides])).resolved
    started: LocalServer = instantiate_checked(resolved["llm"]["build"]["endpoint"]["server"])
    return started


def likelihoods(threads: int, requests_at_once: int) -> list[str]:
    """Return the log-probabilities of all requests as text; the server handles one at a time."""
    with (
        server(threads=threads, context_tokens=1024).start("tiny") as served,
        ThreadPoolExecutor(requests_at_once) as pool,
    ):
        answered = pool.map(lambda request: ask_llama(served.url, request, 300), REQUESTS)
        return [item.reply.text for item in answered]


def configured(folder: Path, *overrides: str) -> RunConfig:
    chosen = ("judge=likelihood", f"cache.calls={folder / 'calls.sqlite'}", *overrides)
    return run_config(compose_config(list(chosen)))


def judged(judge: Judge) -> list[bool]:
    return [judge.judge(question, (gold,), answer)[0] for question, gold, answer, _ in CASES]


@pytest.mark.slow
def test_likelihoods_are_equal_over_threads_and_requests_at_once() -> None:
    expected = likelihoods(threads=1, requests_at_once=1)
    assert likelihoods(threads=2, requests_at_once=4) == expected


def test_hand_made_answers_get_their_verdicts_and_a_replay_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [right for *_, right in CASES]
    (live,) = configured(tmp_path, "llm@judge_llm=smollm2").build_judges()
    assert judged(live) == expected
    refuse: Callable[..., object] = pytest.fail
    monkeypatch.setattr(LocalServer, "start", refuse)  # a replay starts nothing
    replay = ("llm@judge_llm=replay", "llm@judge_llm.recorded=smollm2")
    (replayed,) = configured(tmp_path, *replay).build_judges()
    assert judged(replayed) == expected
