"""What the tests of the run machinery share: parts that fail on demand, admitted by name."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

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
        "+dataset.build={_target_:rehearsal.Tiny,seed:0,histories:2}",
        "run.health=warn",
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
