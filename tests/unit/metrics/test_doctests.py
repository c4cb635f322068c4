"""Every metric shows one worked example, and the examples hold."""

import doctest

import pytest

from remem.metrics import (
    agreement,
    bleu,
    complex_tr,
    event_order,
    intervals,
    locomo_f1,
    longmemeval_scores,
    mem0_scores,
    nltk_words,
    paired,
    proportion,
    qa,
    refusal,
    retrieval,
    tokens,
    tot,
)

MODULES = [
    agreement,
    bleu,
    complex_tr,
    event_order,
    intervals,
    locomo_f1,
    longmemeval_scores,
    mem0_scores,
    nltk_words,
    paired,
    proportion,
    qa,
    refusal,
    retrieval,
    tokens,
    tot,
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_worked_examples_in_the_docstrings_hold(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
