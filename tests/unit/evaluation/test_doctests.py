"""The examples in the docstrings of the analyses hold."""

import doctest
from types import ModuleType

import pytest

from remem.evaluation import class_counts, temporal_classes


@pytest.mark.parametrize("module", [class_counts, temporal_classes])
def test_worked_examples_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
