"""What `remem doctor` checks, and what it never shows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from remem.benchmarks.files.notes import datasets_folder
from remem.cli.doctor_checks import SetupFinding, examine
from remem.errors import UsageError
from remem.serve.stub.stub import StubServer

MODEL = "llm=openai_compatible"


def findings(*overrides: str) -> dict[str, SetupFinding]:
    return {item.what: item for item in examine(overrides, datasets_folder())}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REMEM_DATA", str(tmp_path))
    return tmp_path


def test_a_file_that_is_not_the_pinned_one_is_a_problem_and_a_lacking_set_none(data: Path) -> None:
    (data / "locomo").mkdir()
    (data / "locomo" / "locomo10.json").write_text("[]")
    found = findings()
    assert found["data locomo"].state == "problem"
    assert "remem data fetch locomo" in found["data locomo"].fix
    assert found["data realtalk"].state == found["model"].state == "absent"
    assert found["python"].state == found["core"].state == "ok"


def test_an_endpoint_is_asked_and_a_key_never_shown(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")
    with StubServer() as server:
        address = f"llm.build.endpoint.base_url={server.base_url}"
        found = findings(MODEL, address)
    assert findings(MODEL, address)["endpoint"].state == "problem"  # it is down
    assert (found["key"].state, found["endpoint"].state) == ("ok", "ok")
    assert "canary-key" not in str(found)


def test_a_key_that_is_lacking_is_a_problem(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*asked: object, **how: object) -> None:
        raise OSError("nobody is asked")

    # Only another machine needs a key.
    monkeypatch.setattr("remem.cli.doctor_checks.build_opener", unreachable)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    key = findings(MODEL, "llm.build.endpoint.base_url=http://models.invalid/v1")["key"]
    assert key == SetupFinding(
        "key", "problem", "OPENAI_API_KEY is not set", "export OPENAI_API_KEY=..."
    )


@pytest.mark.app("small_model")
def test_a_model_without_a_file_of_weights_is_one_problem_of_many_findings(
    data: Path,
) -> None:
    found = findings("llm=gguf")
    told = ("llm=gguf cannot be served", "llm=gguf needs a file: set llm.path=<model.gguf>")
    assert found["model"] == SetupFinding("model", "problem", *told)
    assert found["disk"].state == "ok"


def test_a_memory_is_checked_where_the_method_is_named(data: Path) -> None:
    assert not any(what.startswith("memory ") for what in findings())
    found = findings("method=no_memory")
    assert (found["memory isolation"].state, found["memory finds"].state) == ("ok", "problem")
    assert found["memory finds"].fix == "runs continue with a warning"


def test_a_trusted_folder_names_the_memory_to_check(
    data: Path, tmp_path: Path, ask: Callable[..., Result]
) -> None:
    folder = tmp_path / "mine"
    (folder / "method").mkdir(parents=True)
    (folder / "method" / "mine.yaml").write_text("defaults: [no_memory]\nlabel: Mine\n")
    found = findings("method=mine", f"--trust-config={folder}")
    assert found["memory isolation"].state == "ok"
    told = ask("doctor", "method=mine", "--trust-config", tmp_path / "none")
    assert isinstance(told.exception, UsageError)
    assert "none is not a folder" in str(told.exception)
