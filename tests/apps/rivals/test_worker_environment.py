"""Which Python a rival runs in, and the error if there is none."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from remem.apps.rivals import worker_environment
from remem.apps.rivals.worker_environment import find_python
from remem.config.run_config import compose_config, run_config

VARIABLE = "REMEM_RIVAL_PYTHON"
HERE = f"numpy=={version('numpy')}"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)


def found(package: str) -> Path:
    return find_python(VARIABLE, ".venv-rival", package, "make rival")


def test_the_variable_names_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, sys.executable)
    assert found(HERE) == Path(sys.executable)


def make_environment(folder: Path) -> Path:
    python = folder / ".venv-rival" / "bin" / "python"
    python.parent.mkdir(parents=True)
    script = f'#!/bin/sh\nenv > "{folder}/was_run"\nexec "{sys.executable}" "$@"\n'
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    return python


def test_without_it_the_environment_next_to_this_package_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setattr(worker_environment, "ROOT", tmp_path / "checkout")
    assert make_environment(tmp_path / "checkout") == found(HERE)
    assert "canary" not in (tmp_path / "checkout/was_run").read_text()  # it is asked without keys


def test_no_program_of_the_current_folder_is_started(tmp_path: Path) -> None:
    make_environment(tmp_path)
    with pytest.raises(ImportError, match="has no numpy"):
        found(HERE)
    assert not (tmp_path / "was_run").exists()


def test_a_missing_environment_is_told_with_the_command_that_makes_it() -> None:
    told = (
        r"^\S+/\.venv-rival/bin/python has no numpy, expected numpy==.*: run make rival to create "
        r"the environment, or install numpy==.* in another environment and set "
        r"REMEM_RIVAL_PYTHON to the Python of that environment$"
    )
    with pytest.raises(ImportError, match=told):
        found(HERE)


@pytest.mark.parametrize(
    ("package", "told"),
    [("numpy==0.0.1", "has numpy [1-9]"), ("no-such-rival==1.0", "has no no-such-rival")],
)
def test_another_release_is_none(monkeypatch: pytest.MonkeyPatch, package: str, told: str) -> None:
    monkeypatch.setenv(VARIABLE, sys.executable)
    with pytest.raises(ImportError, match=f"{told}.*, expected {package}: run make rival"):
        found(package)


def test_what_cannot_be_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python").write_text("not executable", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "python"))
    with pytest.raises(ImportError, match="has no numpy"):
        found(HERE)


@pytest.mark.parametrize(
    ("method", "command"),
    [
        ("mem0_2", "make env NAME=mem0-2"),
        ("graphiti_new", "make env NAME=graphiti-new"),
        ("langmem", "make env NAME=langmem"),
        ("lightrag", "make env NAME=lightrag"),
        ("mempalace", "make env NAME=mempalace"),
        ("simplemem", "make env NAME=simplemem"),
    ],
)
def test_a_method_file_says_how_to_get_its_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: str, command: str
) -> None:
    config = run_config(compose_config([f"method={method}", "llm=loopback-stub"]))
    variable = config.resolved["method"]["build"]["python_variable"]
    monkeypatch.setenv(variable, str(tmp_path / "none"))  # even if it is installed here
    with pytest.raises(ImportError, match=f"run {command} to create the environment"):
        config.memory_factory()()


@pytest.mark.parametrize(
    "method", ["mem0_2", "graphiti_new", "langmem", "lightrag", "mempalace", "simplemem"]
)
def test_the_lock_file_holds_the_release_that_the_method_names(method: str) -> None:
    package = compose_config([f"method={method}"]).method.build.package
    workers = Path(__file__).parents[3] / "remem" / "apps" / "rivals" / "workers"
    assert package in (workers / f"{method}.lock.txt").read_text(encoding="utf-8").splitlines()
