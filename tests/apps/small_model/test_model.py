"""`remem serve model` serves what a run would serve itself, and names what it cannot serve."""

from dataclasses import dataclass

import pytest

from remem.apps.small_model.local_server import LocalServer
from remem.apps.small_model.model import model
from remem.cli import serve
from remem.errors import UsageError


@dataclass(frozen=True)
class Served:
    url: str


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Prevent the server from starting, and return the list of printed lines."""
    said: list[str] = []
    monkeypatch.setattr(LocalServer, "start", lambda self, model, port: Served(f"http://{model}"))
    monkeypatch.setattr(serve, "serve_until_interrupt", lambda served, line: said.append(line))
    return said


def test_without_a_choice_it_serves_the_packaged_model(told: list[str]) -> None:
    model([], port=0)
    name = "SmolLM2-135M-Instruct-Q4_1"
    assert told == [f"model {name}: http://{name}/v1"]


def test_any_gguf_file_is_served_under_the_name_that_it_is_given(told: list[str]) -> None:
    sha256 = "0" * 64
    model(["llm=gguf", "llm.path=a.gguf", f"llm.sha256={sha256}", "llm.name=mine"])
    assert told == ["model mine: http://mine/v1"]


def test_a_model_of_another_server_is_not_served() -> None:
    with pytest.raises(
        UsageError, match="llm=vllm cannot be served here; choose llm=smollm2 or llm=gguf"
    ):
        model(["llm=vllm"])
