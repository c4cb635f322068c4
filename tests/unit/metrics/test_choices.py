import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.choices import gold_letters, lettered, released_choice, strict_choice
from remem.readers.choice import chosen

GOLD = ("(c) Some tea.",)


@pytest.mark.parametrize(
    ("answer", "released", "strict"),
    [
        ("(c)", 1, 1),
        ("(C) Some tea.", 1, 1),
        ("(b)", 0, 0),
        ("no information available", 0, 0),
        ("(b) or (c)", 0, 0),
        ("(a) is wrong. <final_answer>(c)</final_answer>", 1, 1),
        ("<final_answer>(b)</final_answer> No: <final_answer>(c)</final_answer>", 1, 1),
        # The reply after the tag is wrong or says nothing, the whole reply names only the gold.
        ("I choose (c). <final_answer>", 1, 0),
        ("I choose (c). <final_answer> b", 1, 0),
        # Words of one letter.
        ("Vitamin C is in tea.", 1, 0),
        # Two letters that stand alone, of which only one is in parentheses.
        ("a cup: (c)", 1, 1),
        # The authors know the letters a to d only.
        ("(c) or (e)", 1, 0),
    ],
)
def test_an_answer_is_read_by_both_rules(answer, released, strict):
    assert released_choice(answer, GOLD) == released
    assert strict_choice(answer, GOLD) == strict


def test_an_option_with_the_text_of_the_gold_is_right_only_by_the_strict_rule():
    golds = ("(c) Some tea.", "(a) Some tea.")
    assert (released_choice("(a)", golds), strict_choice("(a)", golds)) == (0, 1)
    assert (released_choice("(a) (c)", golds), strict_choice("(a) (c)", golds)) == (0, 0)


@pytest.mark.parametrize("golds", [(), ("Some tea.",), ("(c) Some tea.", "tea"), ("(c)",)])
def test_a_gold_without_a_letter_has_no_such_score(golds):
    assert gold_letters(golds) == ()
    assert released_choice("(c)", golds) is None
    assert strict_choice("(c)", golds) is None


@given(st.text())
def test_any_answer_gets_one_or_none(answer):
    assert released_choice(answer, GOLD) in (0.0, 1.0)
    assert strict_choice(answer, GOLD) in (0.0, 1.0)


@given(st.lists(st.just("tea"), min_size=1, max_size=4), st.data())
def test_what_a_reader_chooses_is_read_as_that_option(options, data):
    position = data.draw(st.integers(0, len(options) - 1))
    gold = (lettered(options)[position],)
    assert released_choice(chosen(position).text, gold) == 1
    assert strict_choice(chosen(position).text, gold) == 1
