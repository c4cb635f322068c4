"""Before indexing, a run checks that it has all it needs to serve a model itself."""

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from remem.apps.small_model import weights
from remem.config.run_config import compose_config, run_config
from remem.errors import StopRunError
from remem.results.judging import judge_run
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult

INSTALLED = f"pytest=={version('pytest')}"
"""Stands in for the engine, which need not be installed here."""
GGUF = b"GGUF and no more"
SUM = hashlib.sha256(GGUF).hexdigest()
SMALL = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1", "dataset.build.sessions=2"),
    *("run.limit=1", "run.health=warn", "method=remem_s", "extractor=rules"),
)
Run = Callable[..., RunResult]


def gguf(path: Path, sha256: str = SUM, engine: str = INSTALLED, group: str = "llm") -> list[str]:
    chosen = "llm=gguf" if group == "llm" else f"llm@{group}=gguf"
    server = f"{group}.build.endpoint.server.engine='{engine}'"
    return [chosen, f"{group}.path={path}", f"{group}.sha256={sha256}", server]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(GGUF)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run two sessions and a question."""

    def ran(*overrides: str) -> RunResult:
        results = f"paths.results={tmp_path / 'results'}"
        return run_experiment(run_config(compose_config([*SMALL, results, *overrides])))

    return ran


def assert_refused_before_indexing(run: Run, tmp_path: Path, *model: str, match: str) -> None:
    with pytest.raises(StopRunError, match=match):
        run("reader=direct", *model)
    assert not (tmp_path / "results" / "cache" / "indexes").exists()


def test_a_run_without_the_engine_stops_before_it_indexes(
    run: Run, file: Path, tmp_path: Path
) -> None:
    model = gguf(file, engine="nosuchengine==1")
    match = r"llm=gguf cannot be served.*nosuchengine.*make tiny-llm"
    assert_refused_before_indexing(run, tmp_path, *model, match=match)


def test_a_run_whose_file_is_no_gguf_stops_before_it_indexes(
    run: Run, file: Path, tmp_path: Path
) -> None:
    file.write_bytes(b"PK and so on")
    sha256 = hashlib.sha256(b"PK and so on").hexdigest()
    match = r"model\.gguf is not a GGUF file: it begins with b'PK a', expected b'GGUF'"
    assert_refused_before_indexing(run, tmp_path, *gguf(file, sha256), match=match)


def test_a_run_that_asks_no_model_needs_none_of_it(run: Run, tmp_path: Path) -> None:
    missing = gguf(tmp_path / "missing.gguf", engine="nosuchengine==1")
    assert run("reader=extractive", *missing).errors == 0


def test_the_weights_are_summed_once_for_a_check_and_a_start(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summed: list[Path] = []

    def counted(path: Path) -> str:
        summed.append(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(weights, "file_sum", counted)
    chosen = weights.WeightsFile(path=str(file), sha256=SUM)
    assert chosen.verified() == chosen.verified() == file
    assert summed == [file]
    file.write_bytes(GGUF + b", or a little more")
    with pytest.raises(StopRunError, match="has sha256"):
        chosen.verified()


def test_a_judge_that_cannot_be_served_is_named_before_the_first_verdict(
    run: Run, tmp_path: Path
) -> None:
    result = run("reader=extractive")
    judge = gguf(tmp_path / "missing.gguf", group="judge_llm")
    results = f"paths.results={tmp_path / 'results'}"
    config = run_config(compose_config([*SMALL, results, "judge=llm", *judge]))
    with pytest.raises(StopRunError, match=r"judge_llm=gguf cannot be served: no such file:"):
        judge_run(config, result.folder, result.records)
