"""The examples in the docstrings hold."""

import doctest
from types import ModuleType

import pytest

from remem.prompts import bounded_schema, chosen, library, placeholders, python_constants, replies


@pytest.mark.parametrize(
    "module", [bounded_schema, chosen, library, placeholders, python_constants, replies]
)
def test_the_examples_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
