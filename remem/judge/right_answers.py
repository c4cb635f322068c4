"""Generate answers that are right by construction, to measure how many of them a judge accepts."""

from collections.abc import Sequence

import numpy as np

from remem.judge.stress import MadeAnswer
from remem.temporal.dates import find_dates
from remem.types import Question

SENTENCE = "From what was said, the answer is: {gold}."


def right_answers(questions: Sequence[Question], per_kind: int, seed: int) -> list[MadeAnswer]:
    """Generate right answers of each kind to randomly drawn answerable questions.

    The kinds: the gold itself, a sentence that ends with it, and the gold with each complete date
    written as year-month-day.

    Args:
        questions: The questions of one dataset.
        per_kind: The largest number of answers of each kind.
        seed: The seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    answerable = [question for question in questions if question.gold.answerable]
    order = [answerable[at] for at in rng.permutation(len(answerable)).tolist()]
    found = []
    for question in order[:per_kind]:
        gold = question.gold.answers[0]
        made = question.query.text, question.gold.answers
        found.append(MadeAnswer(*made, gold, "gold"))
        found.append(MadeAnswer(*made, SENTENCE.format(gold=gold), "sentence"))
    dated = [(question, _with_dates_rewritten(question.gold.answers[0])) for question in order]
    other = [(question, text) for question, text in dated if text != question.gold.answers[0]]
    found += [
        MadeAnswer(question.query.text, question.gold.answers, text, "other_date")
        for question, text in other[:per_kind]
    ]
    return found


def _with_dates_rewritten(gold: str) -> str:
    """Return a gold with its complete dates as year-month-day.

    >>> _with_dates_rewritten("on 7 May 2023, and in June 2023")
    'on 2023-05-07, and in June 2023'
    """
    for start, end, point in reversed(find_dates(gold)):
        if point.day is not None and point.minute is None:
            date = f"{point.year:04}-{point.month:02}-{point.day:02}"
            gold = f"{gold[:start]}{date}{gold[end:]}"
    return gold
