"""How tables and runs show scores: which ones, in which unit, with which warnings."""

import json
from dataclasses import replace

import pytest
from rich.console import Console

from remem.metrics.columns import ScoreColumn
from remem.metrics.scores import summarise
from remem.reports.terminal.run_tables import show_scores
from remem.results.conventions import score_sets
from remem.results.run import write_scores
from remem.tables.table import own_cell, value
from remem.types import REFUSAL_PHRASE, Gold, Record, Retrieved

(CONVENTION,) = score_sets(["paper,resamples=99"]).values()


def summary_over(clusters, bootstrap_unit="clusters"):
    """Return the summary of 20 right and 20 wrong answers of category 4, and one of category 5."""
    gold = Gold(("bus",), "4", evidence=("D1:1", "D2:1"))
    records = [
        Record(
            *(f"q{index}", "h", index, "?", replace(gold, group=str(index % clusters)), "ok"),
            answer="bus" if index % 2 else "car",
            retrieved=(Retrieved("g", ("D1:1",)),),
            context_tokens=250,
        )
        for index in range(40)
    ]
    trap = Gold((REFUSAL_PHRASE,), "5", answerable=False, group="0")
    records.append(replace(records[0], query_id="q40", index=40, answer="", gold=trap))
    return summarise(records, replace(CONVENTION, bootstrap_unit=bootstrap_unit))


def test_a_column_that_no_run_can_fill_is_refused() -> None:
    cases = [
        ("f2", None, "column 'x': no score 'f2'"),
        ("refusal_f1", "4", "refusal_f1 is scored over all questions; remove the category 4"),
    ]
    for score, category, message in cases:
        with pytest.raises(ValueError, match=message):
            ScoreColumn("x", score, category).check(CONVENTION.score_names)


def test_a_column_takes_its_score_with_shares_in_per_cent() -> None:
    cases = [
        ("f1", "4", 50.0),
        ("f1", "5", 0.0),
        ("f1", None, 100 * 20 / 41),
        ("hit_at_10", "4", 100.0),
        ("session_recall", "4", 50.0),
        ("recall_per_1000_tokens", "4", 200.0),  # half of the evidence in a quarter of 1,000
        ("context_tokens", "4", 250.0),
        ("refusal_precision", None, 100.0),
        ("refusal_recall", None, 100.0),
    ]
    for score, category, mean in cases:
        found = value(ScoreColumn("x", score, category), summary_over(40))
        assert found.mean == pytest.approx(mean)
        if found.n > 1:  # one question has no interval
            assert found.low <= found.mean <= found.high
        else:
            assert (found.low, found.high) == (None, None)
        assert found.percent == (score != "context_tokens")
        assert found.clusters == (40 if found.n >= 40 else 1)


def test_a_category_or_score_that_a_run_lacks_is_a_dash():
    assert own_cell(ScoreColumn("x", "f1", "1"), summary_over(40)) is None
    assert own_cell(ScoreColumn("x", "recall_at_10", "5"), summary_over(40)) is None


def test_a_run_shows_its_scores_its_refusals_and_a_caution_where_due() -> None:
    for unit, shown in [("clusters", True), ("questions", False)]:
        console = Console(width=200)
        with console.capture() as capture:
            console.print(show_scores("A", summary_over(10, unit), ["em", "ndcg_at_10"]))
        text = " ".join(capture.get().split())
        assert "1 refusals, 1 questions are unanswerable" in text
        assert "0.0 (n = 1) │ -" in text  # category 5 has no evidence
        assert ("Caution: intervals over fewer than 20 clusters" in text) == shown


def test_the_file_of_scores_holds_all_averages(tmp_path):
    write_scores(tmp_path / "scores.json", summary_over(10))
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert set(scores["overall"]) == {"category", "n", "total", *CONVENTION.score_names}
    assert scores["overall"]["hit_at_10"] == {
        "mean": 1.0, "low": 1.0, "high": 1.0, "n": 40, "clusters": 10
    }  # fmt: skip
    assert scores["categories"][1]["recall_at_10"] is None
