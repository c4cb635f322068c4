"""The packaged SmolLM2, served by llama.cpp: equal replies, clean exit, runs and replays."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from remem.apps.small_model.local_server import LocalServer, ServedModel
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult

# It is looked for and not imported: next to the libraries of other extras its own end the process.
IS_MISSING = find_spec("xllamacpp") is None
pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(IS_MISSING, reason="xllamacpp is not installed: make tiny-llm"),
]

QUESTIONS = (
    "Name a colour.",
    "What is 2 + 2?",
    "Who lives in Rome? " + "Ann lives in Rome, and Bob in Oslo. " * 6,
    "Tell me in one sentence what a boat is.",
)


def server(**differing: object) -> LocalServer:
    overrides = [f"llm.build.endpoint.server.{key}={value}" for key, value in differing.items()]
    resolved = run_config(compose_config(["llm=smollm2", *overrides])).resolved
    started: LocalServer = instantiate_checked(resolved["llm"]["build"]["endpoint"]["server"])
    return started


@pytest.fixture(scope="module")
def plain() -> Iterator[ServedModel]:
    with server().start("tiny") as served:
        yield served


def asked(served: ServedModel, question: str) -> tuple[str, Any]:
    """Return the text and the log-probabilities of each of its tokens."""
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": question}],
        "temperature": 0,
        "seed": 0,
        "max_tokens": 8,
        "logprobs": True,
    }
    headers = {"Content-Type": "application/json"}
    request = Request(f"{served.url}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=300) as reply:
        choice = json.load(reply)["choices"][0]
    return choice["message"]["content"], choice["logprobs"]


def all_asked(served: ServedModel, at_once: int) -> list[tuple[str, Any]]:
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(lambda question: asked(served, question), QUESTIONS))


@pytest.mark.slow
def test_replies_and_logprobs_are_the_same_over_requests_at_once_and_threads(
    plain: ServedModel,
) -> None:
    expected = all_asked(plain, 1)
    assert all(text for text, _ in expected)
    assert all_asked(plain, 1) == expected  # nothing depends on what was asked before
    for threads in (1, 2):
        with server(threads=threads, context_tokens=1024).start("tiny") as served:
            assert all_asked(served, 4) == expected


@pytest.mark.slow
def test_replies_and_logprobs_are_the_same_with_a_prompt_that_begins_like_the_one_before() -> None:
    told = "Ann lives in Rome, and Bob in Oslo. " * 8
    texts = [told + end for end in ("Who lives in Oslo?", "Who lives in Rome?", "Where is Bob?")]
    with server(cache_prompt=True).start("tiny") as cached, server().start("tiny") as uncached:
        expected = [asked(uncached, text) for text in texts]
        assert len({text for text, _ in expected}) > 1
        assert [asked(cached, text) for text in texts] == expected
        for at in (1, 0, 2):  # a prompt that is asked again at once may get another reply
            assert asked(cached, texts[at]) == expected[at]


@pytest.mark.slow
def test_a_server_keeps_no_prompts_that_it_has_answered(plain: ServedModel) -> None:
    def prompt(number: int) -> str:
        return f"Tale {number}. " + f"Person {number} met person {number + 1}. " * 30

    asked(plain, prompt(0))
    before = plain.peak_mib
    for number in range(1, 6):
        asked(plain, prompt(number))
    assert before > 100  # it is measured
    assert plain.peak_mib - before < 10


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1]); import test_smollm2 as t; "
        "served = t.server().start('tiny'); print(served.program.pid, flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
    )
    pid = int(killed.stdout)
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_other_sites_may_not_read_what_it_answers(plain: ServedModel) -> None:
    request = Request(f"{plain.url}/v1/models", headers={"Origin": "http://elsewhere.example"})
    with urlopen(request, timeout=30) as reply:
        assert reply.headers.get("Access-Control-Allow-Origin") in (None, "", "null")


def test_a_run_serves_the_model_and_its_replay_needs_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = ("run.histories=1", "run.limit=2", "method=oracle_message", "reader=direct")
    calls = f"cache.calls={tmp_path}/calls.sqlite"

    def answered(folder: str, *model: str) -> RunResult:
        where = (f"paths.results={tmp_path / folder}", calls)
        return run_experiment(run_config(compose_config([*small, *where, *model])))

    first = answered("first", "llm=smollm2")
    assert sum(record.read_usage.calls for record in first.records) >= 2
    monkeypatch.setattr(LocalServer, "start", None)
    again = answered("again", "llm=replay", "llm@llm.recorded=smollm2")
    assert again.folder.name == first.folder.name
    assert [record.answer for record in again.records] == [
        record.answer for record in first.records
    ]
