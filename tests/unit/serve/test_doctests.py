"""The worked examples in the docstrings of this package hold."""

import doctest

import pytest

from remem.serve import chat_completions, http_messages
from remem.serve.stub import faults
from remem.serve.stub import lists as stub_lists
from remem.serve.stub import words as stub_words

MODULES = [chat_completions, faults, http_messages, stub_lists, stub_words]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_worked_examples_in_the_docstrings_hold(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
