"""What the tests of the run machinery share: parts that fail on demand, admitted by name."""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.run_config import compose_config, run_config
from remem.protocols import DataFile
from remem.run.store import Timing, open_run
from remem.types import Record

MakeRun = Callable[..., Path]

PARTS = Path(__file__).parents[1] / "parts"


@pytest.fixture
def rehearsal(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module tests/parts/rehearsal.py with nothing noted and nothing failing."""
    monkeypatch.syspath_prepend(PARTS)
    sys.modules.pop("rehearsal", None)
    yield importlib.import_module("rehearsal")
    sys.modules.pop("rehearsal")


@pytest.fixture
def tiny(rehearsal: ModuleType) -> tuple[str, ...]:
    """The overrides that choose the benchmark of `rehearsal`: two histories, two questions each."""
    return (
        "run.packages=[rehearsal]",
        "dataset=generated_tot",
        "dataset.name=tiny",
        "~dataset.build",
        # Three values, because a comma would make the command look for a sweep.
        *("+dataset.build._target_=rehearsal.Tiny", "+dataset.build.seed=0"),
        "+dataset.build.histories=2",
        "run.health=warn",
        "convention.score.resamples=99",
    )


@pytest.fixture
def rehearsed(tiny: tuple[str, ...]) -> tuple[str, ...]:
    """The overrides that choose the benchmark, the memory and the reader of `rehearsal`."""
    return (
        *tiny,
        "method=no_memory",
        "method.build._target_=rehearsal.Memory",
        "reader=always_refuse",
        "reader.build._target_=rehearsal.Reader",
    )


@pytest.fixture
def scripted_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module tests/parts/scripted_model.py with nothing said and nothing asked."""
    monkeypatch.syspath_prepend(PARTS)
    sys.modules.pop("scripted_model", None)
    yield importlib.import_module("scripted_model")
    sys.modules.pop("scripted_model")


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run as an experiment would, quick to score; return its folder."""

    def make(
        records: Iterable[Record], *overrides: str, seconds: float = 0.5, data: str = "made up"
    ) -> Path:
        quick = ["convention.score.resamples=99", f"paths.results={tmp_path / 'results'}"]
        if not any(override.startswith("dataset=") for override in overrides):
            quick += ["dataset.build.conversations=1", "dataset.build.sessions=2"]
        config = run_config(compose_config([*quick, *overrides]))
        files = (DataFile(data, "0" * 64),)
        folder = config.run_folder(config.fingerprint(files))
        with open_run(folder) as store:
            for record in records:
                store.append(record, Timing(record.query_id, seconds, 0.25))
            store.write_manifest(
                {
                    "config": config.resolved,
                    "fingerprint": config.fingerprint(files),
                    "data": [{"name": files[0].name, "sha256": files[0].sha256}],
                    "prompts": [asdict(prompt) for prompt in config.prompts],
                    "commits": ["0123456789abcdef"],
                    "index_seconds": 2.0,
                    "index_usage": {},
                    "partial": False,
                }
            )
        return folder

    return make
