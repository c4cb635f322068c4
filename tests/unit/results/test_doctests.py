"""The examples in the docstrings of the package hold."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import remem.results

FILES = Path(remem.results.__path__[0]).glob("*.py")
WITH_EXAMPLES = sorted(path.stem for path in FILES if ">>>" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_worked_examples_hold(name: str) -> None:
    outcome = doctest.testmod(import_module(f"remem.results.{name}"))
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
