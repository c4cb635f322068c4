"""Metrics and judges of a run against labels, and a judge against itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from remem.reports.terminal.judge_tables import format_variance, show_agreements
from remem.results.agreement import (
    VerdictMeans,
    agreements,
    format_means,
    judge_variance,
    verdict_means,
)
from remem.results.conventions import score_sets
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.types import Gold, Record

CONVENTION = score_sets(["paper"])["paper"]
RECORDS = [
    Record(f"q{at}", "h", at, f"What {at}?", Gold(("a boat",), "1"), "ok", answer=answer)
    for at, answer in enumerate(("a boat", "the boat", "a car", "a ship"))
]
LABELS = {"q0": 1.0, "q1": 1.0, "q2": 0.0, "q3": 1.0}


def judge(folder: Path, verdicts: dict[str, tuple[bool, ...]], records: list[Record]) -> Path:
    path = folder / "judgments.mine.jsonl"
    repeats = max(len(given) for given in verdicts.values())
    with open_judgments(path) as log:
        for case in cases_of(records, "by_category", repeats):
            given = verdicts.get(case.query_id, ())
            if case.repeat < len(given):
                log.append(Judgment(case, "ok", correct=given[case.repeat]))
    return path


def test_metrics_and_judges_are_compared_with_the_labels(tmp_path: Path) -> None:
    judge(tmp_path, {"q0": (True,), "q1": (True,), "q2": (True,), "q3": (True,)}, RECORDS)
    found = agreements(RECORDS, LABELS, ("em", "f1"), CONVENTION, tmp_path)
    assert list(found) == ["em", "f1", "judgments.mine"]
    em, mine = found["em"], found["judgments.mine"]
    assert (em.mean, em.label_mean, em.agreed, em.too_strict) == (0.5, 0.75, 3, 1)
    assert em.kappa == pytest.approx((0.75 - 0.5) / 0.5)  # by chance .5 * .75 + .5 * .25
    assert (mine.too_kind, mine.kappa, mine.pearson) == (1, 0.0, None)
    rows = show_agreements(found, CONVENTION)
    assert list(rows.columns[0].cells) == ["EM", "F1", "judgments.mine"]
    assert list(rows.columns[4].cells)[2] == "-"


def test_answers_that_a_judge_has_not_seen_are_left_out(tmp_path: Path) -> None:
    judge(tmp_path, {"q0": (True,), "q2": (False,)}, RECORDS)
    mine = agreements(RECORDS, LABELS, (), CONVENTION, tmp_path)["judgments.mine"]
    assert (mine.n, mine.agreed) == (2, 2)


def test_repeats_of_a_judge_and_of_the_answers_are_told_apart(tmp_path: Path) -> None:
    again = [replace(record, answer="a raft") for record in RECORDS]
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    files = [
        judge(first, {"q0": (True, False), "q1": (True, True), "q3": (True,)}, RECORDS),
        judge(second, {"q0": (True, True), "q1": (False, False)}, again),
    ]
    found = judge_variance([RECORDS, again], files, "by_category")
    assert (found.questions, found.runs, found.repeats) == (2, 2, 2)  # q3 was judged once
    assert found.judge == pytest.approx(0.5 / 4)
    # means .5 and 1, 1 and 0: variances .125 and .5; their mean less .125 / 2
    assert found.answers == pytest.approx(0.3125 - 0.0625)
    assert found.flipped == 0.25
    assert "contradicts itself on 25.0%" in format_variance(found)[0]
    alone = judge_variance([RECORDS], files[:1], "by_category")
    assert "make a second run" in format_variance(alone)[1]
    files[0].write_bytes(b"")
    with pytest.raises(ValueError, match="has no verdicts"):
        judge_variance([RECORDS], files[:1], "by_category")


def of_category(name: str, category: str, answerable: bool = True) -> Record:
    return Record(name, "h", 0, "?", Gold(("a",), category, answerable=answerable), "ok")


OF_CATEGORIES = [
    of_category("1", "multi-session"),
    of_category("2", "multi-session"),
    of_category("3", "multi-session", answerable=False),
    of_category("4", "knowledge-update"),
    of_category("5", "temporal-reasoning"),
]


def test_the_mean_of_categories_is_not_that_of_questions() -> None:
    found = verdict_means(OF_CATEGORIES, {"1": 1.0, "2": 1.0, "3": 0.5, "4": 0.0})
    assert found == VerdictMeans(
        {"knowledge-update": 0.0, "multi-session": 2.5 / 3}, 2.5 / 6, to_refuse=0.5
    )
    assert format_means(found) == (
        "mean of 2 categories: 41.7 (knowledge-update: 0.0, multi-session: 83.3); "
        "questions to refuse: 50.0"
    )
    assert verdict_means(OF_CATEGORIES, {}) is None
