from math import log

import pytest

from remem.readers.choice import ChoiceReader, option_supports
from remem.readers.ranked_sentences import terms
from remem.types import REFUSAL_PHRASE, Evidence, Passage, Query

OPTIONS = (
    "As a rower, try the river.",
    "As a skier, try the glacier.",
    "As a singer, try the river.",
)
QUERY = Query("q1", "h", 0, "What should I try near the river?", options=OPTIONS)


def read(*texts, query=QUERY):
    passages = tuple(Passage(f"p{n}", text, None, (f"m{n}",)) for n, text in enumerate(texts))
    return ChoiceReader().read(query, Evidence(passages=passages))


def test_the_option_whose_own_words_were_told_is_chosen():
    assert read("User: I am a skier.", "User: The river is near.").text == "(b)"
    assert read("User: I am a singer.", "User: The river is near.").text == "(c)"


def test_without_evidence_for_any_option_it_refuses():
    assert read().text == REFUSAL_PHRASE
    # "try" is in every option and "river" is in the question.
    refused = read("User: I try the river.")
    assert (refused.text, refused.context_tokens) == (REFUSAL_PHRASE, 6)


def test_a_long_option_has_no_advantage():
    options = ("Rowing, running, sailing, cooking and skating.", "Diving.")
    query = Query("q1", "h", 0, "What now?", options=options)
    lines = ("User: Running!", "User: Diving!")
    assert read(*lines, query=query).text == "(b)"


def test_a_support_is_the_share_of_own_words_by_idf():
    lines = [terms("apple bread"), terms("apple"), terms("cheese")]
    # Own words: apple, with 2 of 3 lines; bread and dates, with 1 and with none.
    apple, bread, dates = log(1 + 3 / 3), log(1 + 3 / 2), log(1 + 3)
    found = option_supports("cheese?", ["apple cheese", "bread dates"], lines)
    assert found == pytest.approx([apple / apple, bread / (bread + dates)])


def test_equal_options_share_all_words_and_have_no_support():
    assert option_supports("", ["tea", "tea"], [terms("tea")]) == [0, 0]


def test_a_question_without_options_is_an_error():
    with pytest.raises(ValueError, match="question q1 has no options"):
        ChoiceReader().read(Query("q1", "h", 0, "What?"), Evidence())
