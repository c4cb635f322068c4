"""Scores of list answers against hand-worked values, quirks of the authors' script included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.complex_tr import (
    answer_f1,
    first_item_em,
    first_item_f1,
    set_accuracy,
    set_match,
    split_answer,
    unordered_exact_match,
)

ITEMS = st.lists(st.sampled_from(["Rome", "Bern", "École (Paris)", "Oslo, Norway"]), max_size=4)


@pytest.mark.parametrize(
    ("answer", "items", "expected"),
    [
        ("Rome; Bern", ["Bern", "Rome"], 1.0),
        ("rome;BERN ;", ["Bern", "Rome"], 1.0),  # an empty part is no item
        ("Rome; Rome", ["Rome"], 1.0),
        ("Rome", ["Bern", "Rome"], 0.0),
        ("Rome; Bern; Oslo", ["Bern", "Rome"], 0.0),
        ("Rome, Bern", ["Bern", "Rome"], 0.0),  # the paper's answers are joined by "; "
        ("Oslo, Norway; Finland", ["Finland", "Oslo, Norway"], 1.0),
        ("STRASSE", ["Straße"], 1.0),
        ("", ["Rome"], 0.0),
    ],
)
def test_our_comparison_takes_parts_between_semicolons_as_a_set(answer, items, expected):
    assert set_match(answer, items, "semicolons") == expected


@pytest.mark.parametrize(("answer", "expected"), [("Rome, Bern", 1.0), ("Rome; Bern", 0.0)])
def test_where_a_dataset_separates_answers_by_commas_parts_stand_between_commas(answer, expected):
    assert set_match(answer, ["Bern", "Rome"], "commas") == expected
    assert unordered_exact_match(answer, ["Bern", "Rome"], "commas") == expected


@pytest.mark.parametrize(
    ("answer", "items", "expected"),
    [
        ("The Rome!; Bern", ["Bern", "Rome"], 1.0),
        ("Bern; Rome", ["Bern", "Rome"], 1.0),
        ("Rome", ["Bern", "Rome"], 0.0),
        ("", ["Bern", "Rome"], 0.0),
    ],
)
def test_an_exact_match_without_order_compares_normalised_items(answer, items, expected):
    assert unordered_exact_match(answer, items, "semicolons") == expected


@given(ITEMS, st.randoms())
def test_any_order_of_the_items_matches(items, random):
    shuffled = random.sample(items, len(items))
    assert set_match("; ".join(shuffled), items, "semicolons") == 1.0
    assert unordered_exact_match("; ".join(shuffled), items, "semicolons") == 1.0


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("Rome $and Bern and Oslo", ["rome", "bern and oslo"]),
        ("Rome$and Bern", ["rome", "bern"]),
        ("Poland", ["pol", ""]),  # cut inside of the word
        ("Rome, Bern", ["Rome", " Bern"]),  # neither lower-cased nor stripped
        ("Rome, Bern and Oslo", ["rome, bern", "oslo"]),
        (" Rome ", ["rome"]),
        ("Rome AND Bern", ["rome and bern"]),  # the separator is sought before lower-casing
        ("", [""]),
    ],
)
def test_the_authors_split_by_the_first_separator_that_occurs(answer, items):
    assert split_answer(answer) == items


@pytest.mark.parametrize(
    ("answer", "items", "accuracy", "f1"),
    [
        ("Rome and Bern", ["Bern", " ROME "], 1.0, 1.0),
        ("Rome and Rome", ["Rome"], 1.0, 1.0),
        ("Rome and Oslo", ["Rome", "Bern"], 0.0, 1 / 2),
        ("Rome and Rome and Oslo", ["Rome", "Bern"], 0.0, 2 / 3),  # P 2/3, R 2/(2+1)
        ("Rome, Bern", ["Rome", "Bern"], 0.0, 0.0),
        ("Poland", ["Poland"], 0.0, 0.0),
        ("", ["Rome"], 0.0, 0.0),
    ],
)
def test_set_accuracy_and_answer_f1_compare_whole_items(answer, items, accuracy, f1):
    assert set_accuracy(answer, items) == accuracy
    assert answer_f1(answer, items) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "items", "em", "f1"),
    [
        ("The Rome! and Oslo", ["Bern", "rome"], 1.0, 1.0),
        ("Oslo and Rome", ["Rome"], 0.0, 0.0),  # only the first item is looked at
        ("University of Bern", ["Bern", "University of Rome"], 0.0, 2 / 3),
    ],
)
def test_em_and_token_f1_look_at_the_first_item_only(answer, items, em, f1):
    assert first_item_em(answer, items) == em
    assert first_item_f1(answer, items) == pytest.approx(f1)
