"""What counts as a refusal, and the paper's three rows of refusal scores."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.locomo import LoCoMo
from remem.metrics.refusal import (
    gold_answers,
    is_refusal,
    is_unanswerable,
    names_no_information,
    refusal_scores,
)
from remem.types import REFUSAL_PHRASE, Gold


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no information available",
        '"NO INFORMATION AVAILABLE"',
        "\u201cNo information available\u201d",
        "There is no information available on that.",
    ],
)
def test_empty_answers_and_the_phrase_are_refusals(answer):
    assert is_refusal(answer, "phrase_or_empty")
    assert is_refusal(answer, "phrase_or_blank")


@pytest.mark.parametrize("answer", [" \n", '""', "...", "\u00a0", "no  information\navailable"])
def test_blank_answers_and_the_phrase_oddly_spaced_are_refusals_by_the_wider_rule_only(answer):
    assert not is_refusal(answer, "phrase_or_empty")
    assert is_refusal(answer, "phrase_or_blank")


@pytest.mark.parametrize("answer", ["No", "none", "not mentioned", "0", "information available"])
def test_other_answers_are_no_refusals(answer):
    assert not is_refusal(answer, "phrase_or_empty")
    assert not is_refusal(answer, "phrase_or_blank")


@pytest.mark.parametrize(
    ("refusals", "hits", "percentages"),
    [
        (954, 371, (38.9, 83.6, 53.1)),  # Graphiti
        (90, 36, (40.0, 8.1, 13.5)),  # Mem0
        (344, 252, (73.3, 56.8, 64.0)),  # REMem
    ],
)
def test_the_rows_of_the_paper_follow_from_their_counts(refusals, hits, percentages):
    unanswerable = [True] * 444 + [False] * 1542
    refused = [True] * hits + [False] * (444 - hits)
    refused += [True] * (refusals - hits) + [False] * (1542 - refusals + hits)
    scores = refusal_scores(refused, unanswerable)
    assert (scores.refusals, scores.unanswerable, scores.true_positives) == (refusals, 444, hits)
    found = tuple(round(100 * part, 1) for part in (scores.precision, scores.recall, scores.f1))
    assert found == percentages


def test_precision_is_undefined_if_nothing_was_refused_recall_and_f1_if_nothing_is_unanswerable():
    scores = refusal_scores([False, False], [True, False])
    assert (scores.precision, scores.recall, scores.f1) == (None, 0.0, 0.0)
    scores = refusal_scores([True, False], [False, False])
    assert (scores.precision, scores.recall, scores.f1) == (0.0, None, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_f1_is_the_harmonic_mean_where_both_parts_are_defined(rows):
    scores = refusal_scores([row[0] for row in rows], [row[1] for row in rows])
    if scores.precision and scores.recall:
        harmonic = 2 / (1 / scores.precision + 1 / scores.recall)
        assert scores.f1 == pytest.approx(harmonic)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("No information available.", True),
        ("This was Not Mentioned in the conversation", True),
        ("no  information available", False),  # the phrases are sought letter by letter
        ("not known", False),
        ("", False),
    ],
)
def test_locomo_looks_for_two_phrases_in_any_case(answer, expected):
    assert names_no_information(answer) == expected


@pytest.mark.parametrize(
    ("gold", "by_category", "by_missing_answer"),
    [
        (Gold(("Rome",), "4"), ("Rome",), ("Rome",)),
        (Gold(("No",), "4"), ("No",), ("No",)),
        (Gold((REFUSAL_PHRASE,), "5", answerable=False), (REFUSAL_PHRASE,), (REFUSAL_PHRASE,)),
        (Gold(("No",), "5", answerable=False), (REFUSAL_PHRASE,), ("No",)),
    ],
)
def test_the_rules_differ_on_an_unanswerable_question_with_an_answer(
    gold, by_category, by_missing_answer
):
    assert gold_answers(gold, "by_category") == by_category
    assert gold_answers(gold, "by_missing_answer") == by_missing_answer
    for rule, golds in [("by_category", by_category), ("by_missing_answer", by_missing_answer)]:
        assert is_unanswerable(gold, rule) == (golds == (REFUSAL_PHRASE,))


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
@pytest.mark.parametrize(
    ("rule", "unanswerable"), [("by_category", 446), ("by_missing_answer", 444)]
)
def test_both_denominators_come_from_one_loading_of_locomo(rule, unanswerable):
    locomo = LoCoMo(data=os.environ["REMEM_DATA"], file="locomo10.json", evidence_rule="paper")
    golds = [
        question.gold for history in locomo.histories() for question in locomo.questions(history.id)
    ]
    assert sum(is_unanswerable(gold, rule) for gold in golds) == unanswerable
    phrase = sum(gold_answers(gold, rule) == (REFUSAL_PHRASE,) for gold in golds)
    assert phrase == unanswerable
