"""When the dates and numbers of an answer contradict those of the gold answer."""

import pytest

from remem.judge.rules_judge import contradicts


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("7 May 2023", "She went there on May 7, 2023.", False),
        ("7 May 2023", "She went there on 8 May 2023.", True),
        ("7 May 2023", "In May 2023.", False),  # coarser, and true
        ("7 May 2023", "She went there.", False),  # no date at all
        ("7 May 2023", "Not on 6 May 2023 but on 7 May 2023.", False),
        ("2022", "She painted it in March 2022.", False),
    ],
)
def test_a_date_contradicts_when_no_date_of_the_answer_meets_it(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        # 9 June 2023 is a Friday: the week before it may be the seven days, or Monday to Sunday.
        ("The week before 9 June 2023", "On 2 June 2023.", False),
        ("The week before 9 June 2023", "On 30 May 2023.", True),
        ("two weekends before 17 July 2023", "On 4 July 2023.", False),
        ("two weekends before 17 July 2023", "On 2 July 2023.", True),
        ("the week after 9 June 2023", "On 14 June 2023.", False),
        ("The week of 23 August 2023", "On 20 August 2023.", False),
        ("The week of 23 August 2023", "On 30 August 2023.", True),
    ],
)
def test_days_before_after_and_around_a_date_are_the_days_that_may_be_meant(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("3", "You have 2 items.", True),
        ("3", "You have three items.", False),
        ("8 days. 9 are fine too.", "A total of **7 days**.", True),
        ("$400,000", "You were approved for $400,000.", False),
        ("2.5 hours", "It took 2.5 hours.", False),
        ("3", "Two cats and one dog.", False),  # which of the two would it be?
        ("3", "1. A cat\n2. A dog\n", False),  # marks of a list
        ("3", "On 5 May 2023.", False),  # a date is no count
        ("three red boats with white sails", "Two.", False),  # a gold with more than a number
    ],
)
def test_a_number_contradicts_when_the_answer_has_a_single_other_one(
    gold: str, answer: str, expected: bool
) -> None:
    assert contradicts(gold, answer) is expected
