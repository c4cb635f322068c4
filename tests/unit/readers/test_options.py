import pytest

from remem.readers.choice import OptionByLength, SameOption
from remem.types import Evidence, Query

OPTIONS = ("rum", "green tea", "gin", "black tea")
QUERY = Query("q1", "h", 0, "What?", options=OPTIONS)


@pytest.mark.parametrize(
    ("reader", "letter"),
    [
        (OptionByLength(length="longest"), "(b)"),  # (d) is as long
        (OptionByLength(length="shortest"), "(a)"),  # (c) is as short
        (SameOption(letter="c"), "(c)"),
    ],
)
def test_an_option_is_chosen_without_evidence(reader, letter):
    answer = reader.read(QUERY, Evidence())
    assert (answer.text, answer.context_tokens) == (letter, 0)


@pytest.mark.parametrize("reader", [OptionByLength(length="longest"), SameOption(letter="a")])
def test_a_question_without_options_is_an_error(reader):
    with pytest.raises(ValueError, match="question q1 has no options to choose from"):
        reader.read(Query("q1", "h", 0, "What?"), Evidence())


def test_a_letter_that_the_question_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"q1 has no option \(e\), only a, b, c, d"):
        SameOption(letter="e").read(QUERY, Evidence())


def test_an_unknown_letter_or_length_is_refused():
    for letter in ("", "A", "ab", "1"):
        with pytest.raises(ValueError, match="expected a letter from a to z"):
            SameOption(letter=letter)
    with pytest.raises(ValueError, match="unknown length 'long', expected 'longest' or"):
        OptionByLength(length="long")
