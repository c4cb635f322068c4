"""Exact match on Test of Time, for the forms in which models answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.qa import normalised_tot_answer, tot_exact_match


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("E9, E33, E22", "E9,E33,E22"),
        ('{"explanation": "sorted by start", "answer": "E9, E33"}', "E9,E33"),
        ('{"answer": ["E9", "E33"]}', "E9,E33"),
        ('{"answer": 1931}', "1931"),
        ('{"answer": 0}', "0"),
    ],
)
def test_every_form_of_the_right_answer_matches(answer, label):
    assert tot_exact_match(answer, label) == 1.0


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("e9", "E9"),  # case counts
        ("E9,E33", "E33,E9"),
        ("The answer is E9", "E9"),
        ("", "0"),
        ('{"answer": null}', "None"),
        ('{"reply": "E9"}', "E9"),
        ('{"answer": "E9"', "E9"),  # cut off, so it is not JSON
    ],
)
def test_other_answers_do_not_match(answer, label):
    assert tot_exact_match(answer, label) == 0.0


def test_only_lists_of_entities_lose_their_spaces():
    assert normalised_tot_answer("1931, 1940") == "1931, 1940"
    assert normalised_tot_answer("E9 and E33") == "E9 and E33"


def test_an_answer_of_brackets_only_is_no_crash():
    assert tot_exact_match("[" * 200_000, "E9") == 0.0


@given(st.lists(st.integers(1, 99).map("E{}".format), min_size=1, max_size=6))
def test_the_forms_of_a_list_have_one_normal_form(entities):
    forms = [
        ", ".join(entities),
        json.dumps({"answer": entities}),
        json.dumps({"answer": ", ".join(entities)}, indent=2),
    ]
    assert {normalised_tot_answer(form) for form in forms} == {",".join(entities)}


@given(st.text(max_size=40))
def test_normalising_any_text_never_fails(text):
    assert normalised_tot_answer(text) == normalised_tot_answer(text).strip()
