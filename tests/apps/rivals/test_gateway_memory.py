"""The example of a memory in another process: its calls use our gateway and are sent once."""

import importlib
import io
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from omegaconf import OmegaConf

from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.run.memory_checks import check_memory
from remem.serve.stub.stub import StubServer
from remem.types import Episode, History, Message, Query

EXAMPLE = Path(__file__).parents[3] / "examples" / "gateway_memory"
SAID = ("I adopted a dog from the shelter.", "We sailed to Oslo in June.", "My sister bakes bread.")
MESSAGES = tuple(Message(f"m{at}", "Ann", text, date="8 May") for at, text in enumerate(SAID))


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(EXAMPLE)
    yield importlib.import_module("gateway_memory")
    sys.modules.pop("gateway_memory")


def run_here(
    command: list[str], *, input: str, env: dict[str, str], **_: Any
) -> "subprocess.CompletedProcess[str]":
    """Run the program of a command in this process; a process of its own would take a second."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
            patch.setenv(name, env[name])
        patch.setattr(sys, "stdin", io.StringIO(input))
        patch.setattr(sys, "stdout", said)
        runpy.run_path(command[1], run_name="__main__")
    return subprocess.CompletedProcess(command, 0, said.getvalue(), "")


def remembering(example: ModuleType, stub: StubServer, results: Path) -> Any:
    config = compose_config(
        [
            "llm=loopback-stub",
            f"llm.build.endpoint.base_url={stub.base_url}",
            f"paths.results={results}",
        ]
    )
    models = run_config(config).resolved
    build = OmegaConf.load(EXAMPLE / "conf" / "method" / "gateway_memory.yaml").build
    parts = {"chat_model": models["llm"]["build"], "embedder": models["embedder"]["build"]}
    assert build._target_ == "gateway_memory.OtherProcess"
    return example.OtherProcess(
        **{name: instantiate_checked(part) for name, part in parts.items()}, top_k=build.top_k
    )


def test_a_memory_of_another_process_is_measured(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History("h/1", (Episode("e", MESSAGES),))
    asked = Query("q", "h/1", 0, "Where did we go sailing in June?")
    with StubServer() as stub:
        recalled = []
        for run in (subprocess.run, run_here):
            monkeypatch.setattr(example.subprocess, "run", run)
            memory = remembering(example, stub, tmp_path)
            memory.index(history)
            recalled.append((memory.recall(asked), memory.index_usage))
        sent = stub.counts.total
    (evidence, usage), second = recalled
    assert (evidence, usage) == second
    assert evidence.passages[0].source == ("m1",)
    assert {passage.id for passage in evidence.passages} == {"m0", "m1", "m2"}
    assert (usage.calls, usage.prompt_tokens) == (3, sent.prompt_tokens)
    assert sent.replies == 3


def test_it_passes_the_checks_before_the_first_question(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example.subprocess, "run", run_here)
    with StubServer() as stub:
        checks = check_memory(lambda: remembering(example, stub, tmp_path))
    assert [check.name for check in checks if not check.passed] == []
