"""LoCoMo's F1 and the released variant, worked out by hand (stems looked up in Porter's rules)."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.locomo_f1 import comma_cut_f1, locomo_f1, normalised_stems
from remem.metrics.refusal import RefusalDetection

TEXTS = st.lists(
    st.sampled_from(["ann", "dogs", "running", "the", "and", "May,", "2023;", "a"]), max_size=6
).map(" ".join)
RULE = "locomo_phrases"  # what the code of both scores
CATEGORIES = st.sampled_from(["1", "2", "3", "4", "5"])


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Adopted two cats and the dog", ["adopt", "two", "cat", "dog"]),
        ("1,000 ponies", ["1000", "poni"]),
        ("A-mem, an agent's memory.", ["amem", "agent", "memori"]),
        ("  And\nthe ", []),
        ("Android", ["android"]),
    ],
)
def test_texts_become_stems_without_punctuation_and_small_words(text, stems):
    assert normalised_stems(text) == stems


@pytest.mark.parametrize(
    ("answer", "gold", "category", "expected"),
    [
        ("adopting cats", "She adopted a cat", "4", 4 / 5),  # 2 shared stems of 2 and 3
        ("cat and dog", "cat, dog", "4", 1.0),
        ("7 May, 2023", "7 May 2023", "2", 1.0),
        ("Likely no; she hates it", "Likely no; she loves it", "3", 4 / 7),  # gold: likely no
        ("Likely no; she hates it", "Likely no; she loves it", "4", 4 / 5),  # not cut
        ("dogs, cats", "cat, dog", "1", 1.0),  # order is free
        ("cats", "cat, dog", "1", 1 / 2),
        ("cats, dogs, cows", "cat", "1", 1.0),  # more parts cost nothing
        ("red cat dog", "cat, dog", "1", 1 / 2),  # 2 * 1 / (3 + 1) for both parts
        ("cat", "cat,", "1", 1 / 2),  # an empty part of the gold counts
        ("No information available.", "a trophy", "5", 1.0),
        ("", "no information available", "5", 0.0),
        ("a trophy", "a trophy", "5", 0.0),  # the gold has no say
    ],
)
def test_each_category_has_its_official_rule(answer, gold, category, expected):
    assert locomo_f1(answer, [gold], category, RULE) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "category", "expected"),
    [
        ("7 May, 2023", "7 May, 2023", "2", 4 / 5),  # 7 May against 7 May 2023
        ("7 May 2023, I think", "7 May 2023", "4", 1.0),
        (", 2023", "2023", "4", 0.0),  # nothing before the comma
        ("Likely no", "Likely no; she loves it", "3", 4 / 7),  # the gold stays whole
        ("dogs, cats", "cat, dog", "1", 1.0),
        ("not mentioned", "x", "5", 1.0),
    ],
)
def test_the_released_code_cuts_the_answer_at_its_first_comma(answer, gold, category, expected):
    assert comma_cut_f1(answer, [gold], category, RULE) == pytest.approx(expected)


@pytest.mark.parametrize("category", ["", "6", "before_after", "L2"])
def test_a_category_that_locomo_does_not_have_has_no_score(category):
    assert locomo_f1("x", ["x"], category, RULE) is None
    assert comma_cut_f1("x", ["x"], category, RULE) is None


def test_the_best_gold_counts():
    assert locomo_f1("red car", ["bus", "red cars"], "4", RULE) == 1.0
    assert locomo_f1("red car", ["bus", "red cars"], "1", RULE) == 1.0


@given(TEXTS, TEXTS, CATEGORIES)
def test_scores_lie_between_0_and_1_and_agree_without_commas_and_semicolons(answer, gold, category):
    official, cut = (
        locomo_f1(answer, [gold], category, RULE),
        comma_cut_f1(answer, [gold], category, RULE),
    )
    assert 0.0 <= official <= 1.0
    assert 0.0 <= cut <= 1.0
    if "," not in answer and ";" not in gold:
        assert official == cut


@pytest.mark.parametrize(
    ("answer", "rules"),
    [
        ("", {"phrase_or_empty", "phrase_or_blank"}),
        ("It is not mentioned", {"locomo_phrases"}),
        ("No information available", {"phrase_or_empty", "phrase_or_blank", "locomo_phrases"}),
        ("a trophy", set()),
    ],
)
def test_what_a_refusal_is_in_category_5_is_the_convention_of_refusals(answer, rules):
    for rule in get_args(RefusalDetection):
        expected = float(rule in rules)
        assert locomo_f1(answer, ["a trophy"], "5", rule) == expected
        assert comma_cut_f1(answer, ["a trophy"], "5", rule) == expected
