"""Score list answers by the rules of Complex-TR's authors, or by a comparison of sets.

The authors (`sem_metric/evaluate.py` of their repository) ask for names joined by "and", and split
answers at "and". `set_match` is our own score, for answers in the form that our prompts request.
"""

from collections.abc import Sequence

from remem.metrics.qa import exact_match, normalised_tokens, split_answers, token_f1
from remem.types import AnswerSeparator


def set_match(answer: str, items: Sequence[str], separator: AnswerSeparator) -> float:
    """Return 1 if the answer names exactly the items, in any order and case, else 0.

    >>> set_match("rome; Paris ", ["Paris", "Rome"], "semicolons")
    1.0
    >>> set_match("rome; Paris ", ["Paris", "Rome"], "commas")
    0.0
    """
    named = {part.casefold() for part in split_answers(answer, separator)}
    return float(named == {item.strip().casefold() for item in items})


def unordered_exact_match(answer: str, items: Sequence[str], separator: AnswerSeparator) -> float:
    """Return 1 if the answer names exactly the items, normalised and in any order, else 0.

    >>> unordered_exact_match("the Rome; Paris!", ["Paris", "Rome"], "semicolons")
    1.0
    """
    parts = split_answers(answer, separator)
    named = {tuple(normalised_tokens(part)) for part in parts} - {()}
    return float(named == {tuple(normalised_tokens(item)) for item in items})


def split_answer(answer: str) -> list[str]:
    """Split an answer at every occurrence of one separator: " $and ", "$and", "and" or ",".

    The first of these that the answer contains is used. As in the authors' code, "and" also splits
    words that contain it. Items are lower-cased and stripped, but not if they were split at commas,
    so "Rome, Paris" matches no gold.

    >>> split_answer("Rome and Finland")
    ['rome', 'finl', '']
    >>> split_answer("Rome, Paris")
    ['Rome', ' Paris']
    """
    for separator in (" $and ", "$and", "and"):
        if separator in answer:
            return [part.lower().strip() for part in answer.split(separator)]
    return answer.split(",") if "," in answer else [answer.lower().strip()]


def set_accuracy(answer: str, items: Sequence[str]) -> float:
    """Return the authors' Set_Acc: 1 if the answer has exactly the set of gold items, else 0.

    >>> set_accuracy("Paris and Rome", ["Rome", "Paris"])
    1.0
    """
    return float(set(split_answer(answer)) == set(_lowered(items)))


def answer_f1(answer: str, items: Sequence[str]) -> float:
    """Return the authors' Answer_F1 of the named items; an item named twice counts twice.

    Precision = hits / named items, recall = hits / (hits + gold items that are not named).

    >>> answer_f1("Rome and Oslo and Bern", ["Rome", "Oslo"])  # 2 hits of 3 named, none missed
    0.8
    """
    named, golds = split_answer(answer), _lowered(items)
    hits = sum(item in golds for item in named)
    missed = sum(gold not in named for gold in golds)
    return 2 * hits / (len(named) + hits + missed)


def first_item_em(answer: str, items: Sequence[str]) -> float:
    """Return the authors' EM: exact match of the answer's first item with the best gold item.

    >>> first_item_em("Rome and Oslo", ["Paris", "The Rome"])
    1.0
    """
    return exact_match(split_answer(answer)[0], items)


def first_item_f1(answer: str, items: Sequence[str]) -> float:
    """Return the authors' Token_F1: F1 of the answer's first item with the best gold item.

    >>> first_item_f1("New Rome and Oslo", ["Paris", "Rome"])  # 1 shared word of 2 and 1
    0.6666666666666666
    """
    return token_f1(split_answer(answer)[0], items)


def _lowered(items: Sequence[str]) -> list[str]:
    return [item.lower().strip() for item in items]
