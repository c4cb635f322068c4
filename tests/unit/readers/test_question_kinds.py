"""The type of answer that a question asks for, its options, and whether it asks for a list."""

import pytest

from remem.readers.question_kinds import asks_list, options, question_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Ann move?", "date"),
        ("In which year did Ann move?", "date"),
        ("Who helps Ann when she is ill?", "person"),
        ("Where does Ann live?", "place"),
        ("How long did Ann live in Rome?", "duration"),
        ("For how many hours did Ann swim?", "number"),
        ("How old is Ann's dog?", "number"),
        ("Does Ann swim when it rains?", "truth"),
        ("How does Ann relax?", "words"),
    ],
)
def test_the_first_question_word_decides(question, kind):
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Would Ann rather have a voucher, one for tea or one for jam?", ("tea", "jam")),
        ("Does Ann live close to the sea or the hills?", ("sea", "hills")),
        ("Does Ann live in Rome?", ()),
    ],
)
def test_two_options_are_found(question, expected):
    assert options(question) == expected


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which kinds of tea does Ann drink?", True),
        ("What are the names of the dogs?", True),
        ("Where has Ann camped?", True),
        ("With whom did Ann sing, from first to last?", True),
        ("What was Ann's first prize?", False),
        ("Which class did Ann miss?", False),
    ],
)
def test_a_plural_asks_for_a_list(question, several):
    assert asks_list(question) is several
