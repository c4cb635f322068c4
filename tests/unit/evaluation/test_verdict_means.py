"""Means of verdicts: categories of unequal size count alike."""

import doctest

from remem.evaluation import verdict_means as module
from remem.evaluation.verdict_means import VerdictMeans, told_means, verdict_means
from remem.types import Gold, Record


def record(name: str, category: str, answerable: bool = True) -> Record:
    return Record(name, "h", 0, "?", Gold(("a",), category, answerable=answerable), "ok")


RECORDS = [
    record("1", "multi-session"),
    record("2", "multi-session"),
    record("3", "multi-session", answerable=False),
    record("4", "knowledge-update"),
    record("5", "temporal-reasoning"),
]


def test_the_mean_of_categories_is_not_that_of_questions() -> None:
    found = verdict_means(RECORDS, {"1": 1.0, "2": 1.0, "3": 0.5, "4": 0.0})
    assert found == VerdictMeans(
        {"knowledge-update": 0.0, "multi-session": 2.5 / 3}, 2.5 / 6, to_refuse=0.5
    )
    assert told_means(found) == (
        "mean of 2 categories: 41.7 (knowledge-update: 0.0, multi-session: 83.3); "
        "questions to refuse: 50.0"
    )


def test_without_verdicts_there_is_no_mean() -> None:
    assert verdict_means(RECORDS, {}) is None


def test_the_worked_example_holds() -> None:
    assert doctest.testmod(module).failed == 0
