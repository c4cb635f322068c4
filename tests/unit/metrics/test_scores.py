"""The summary of the scores of records, on a small run worked out by hand."""

from dataclasses import replace

import pytest

from remem.metrics.scores import summarise
from remem.results.conventions import score_sets
from remem.types import Gold, Record, Retrieved

(CONVENTION,) = score_sets(["paper,bootstrap_unit=questions,resamples=199"]).values()
PHRASE = "no information available"


def record(index, answer, gold, category="1", *, status="ok", **more):
    golds = Gold((gold,), category, answerable=gold != PHRASE, evidence=more.pop("evidence", ()))
    return Record(f"q{index}", "h", index, "?", golds, status, answer=answer, **more)


RUN = [
    record(0, "red car", "red car", "1", evidence=("m1", "m2"), context_tokens=30),
    record(1, "red", "red car", "1", context_tokens=10),
    record(2, "", "red car", "2", evidence=("m1",), context_tokens=20),
    record(3, "", PHRASE, "5"),
    record(4, "No information available.", PHRASE, "5"),
    record(5, "bus", PHRASE, "5"),
    record(6, "red car", "red car", "2", status="error", error="timeout"),
]
RUN[0] = replace(RUN[0], retrieved=(Retrieved("g1", ("m9",)), Retrieved("g2", ("m2", "m3"))))


def test_a_summary_averages_over_answered_questions_and_says_how_many_there_were():
    overall = summarise(RUN, CONVENTION).overall
    assert (overall.category, overall.n, overall.total) == (None, 6, 7)
    assert overall.means["f1"].mean == pytest.approx((1 + 2 / 3 + 0 + 0 + 1 + 0) / 6)
    assert overall.means["em"].mean == pytest.approx(2 / 6)
    assert overall.means["context_tokens"].mean == pytest.approx(60 / 6)
    assert overall.means["f1"].low < overall.means["f1"].mean < overall.means["f1"].high


def test_recall_is_averaged_over_the_questions_with_gold_evidence():
    overall = summarise(RUN, CONVENTION).overall
    assert overall.means["recall_at_10"].mean == pytest.approx((0.5 + 0) / 2)
    assert overall.means["recall_at_10"].n == 2


def test_categories_are_summarised_apart_in_the_order_of_their_names():
    categories = summarise(RUN, CONVENTION).categories
    assert [(part.category, part.n, part.total) for part in categories] == [
        ("1", 2, 2),
        ("2", 1, 2),
        ("5", 3, 3),
    ]
    assert [part.means["f1"].mean for part in categories] == pytest.approx([5 / 6, 0, 1 / 3])
    assert categories[2].means["recall_at_10"] is None


def test_refusals_are_scored_over_all_answered_questions():
    summary = summarise(RUN, CONVENTION)
    refusal, intervals = summary.refusal, summary.refusal_intervals
    # Refused: 2 (answerable), 3 and 4. Unanswerable: 3, 4 and 5.
    assert (refusal.refusals, refusal.unanswerable, refusal.true_positives) == (3, 3, 2)
    assert refusal.precision == refusal.recall == refusal.f1 == pytest.approx(2 / 3)
    assert intervals.precision.mean == intervals.f1.mean == pytest.approx(2 / 3)


def test_a_run_of_errors_has_no_means():
    summary = summarise([RUN[6]], CONVENTION)
    assert (summary.overall.n, summary.overall.total) == (0, 1)
    assert summary.overall.means["f1"] is None
    assert [(part.n, part.total) for part in summary.categories] == [(0, 1)]
    assert summary.refusal.precision is summary.refusal_intervals.precision is None


def test_the_order_of_the_records_does_not_matter():
    assert summarise(RUN[::-1], CONVENTION) == summarise(RUN, CONVENTION)


def test_clusters_are_resampled_if_the_convention_says_so():
    by_graph = replace(CONVENTION, bootstrap_unit="clusters")
    run = [
        replace(RUN[position], gold=replace(RUN[position].gold, group=group))
        for position, group in enumerate(["g1", "g1", "g2", "g2", "", ""])
    ]
    summary = summarise(run, by_graph)
    assert summary.overall.means["f1"].clusters == 4  # a question without a group stands for itself
    assert summary.refusal_intervals.f1.clusters == 3  # nothing is refused or unanswerable in g1
    assert summarise(run, CONVENTION).overall.means["f1"].clusters is None


def test_verdicts_are_averaged_over_the_answers_that_have_one():
    verdicts = {"q0": 1.0, "q1": 0.5, "q6": 1.0}  # q6 ended in an error since
    summary = summarise(RUN, CONVENTION, verdicts)
    judged = summary.overall.means["llm_judge"]
    assert (judged.mean, judged.n) == (0.75, 2)
    assert [part.means["llm_judge"] is None for part in summary.categories] == [False, True, True]


def test_the_convention_reaches_the_scores_and_the_refusals():
    run = [record(0, "", "No", "5"), record(1, "not mentioned", PHRASE, "5")]
    run[0] = replace(run[0], gold=replace(run[0].gold, answerable=False))
    released = replace(
        CONVENTION,
        refusal_gold="by_missing_answer",
        refusal_detection="locomo_phrases",
        f1="released_comma_cut",
    )
    paper, reference = summarise(run, CONVENTION), summarise(run, released)
    assert (paper.refusal.refusals, paper.refusal.unanswerable) == (1, 2)
    assert (reference.refusal.refusals, reference.refusal.unanswerable) == (1, 1)
    assert (paper.refusal.true_positives, reference.refusal.true_positives) == (1, 1)
    assert (paper.overall.means["f1"].mean, reference.overall.means["f1"].mean) == (0.0, 0.5)
