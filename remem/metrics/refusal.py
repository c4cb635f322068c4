"""Detect refusals and unanswerable questions, and score refusals (paper, Refusal Performance).

The paper states that LoCoMo has 446 unanswerable questions, but its other counts only fit 444: two
questions of category 5 have an answer ("No") in the file. The setting `refusal_gold` chooses
whether these two count as unanswerable.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from remem.types import REFUSAL_PHRASE, Gold

RefusalDetection = Literal["phrase_or_empty", "phrase_or_blank", "locomo_phrases"]
RefusalGold = Literal["by_category", "by_missing_answer"]

LOCOMO_PHRASES = (REFUSAL_PHRASE, "not mentioned")
_CURLY_QUOTES = "\u201c\u201d\u2018\u2019"
_OUTER_MARKS = string.whitespace + string.punctuation + _CURLY_QUOTES


@dataclass(frozen=True, slots=True)
class RefusalScores:
    """How well refusals detect unanswerable questions: precision, recall and F1.

    `precision` is None if nothing was refused; the others are None if nothing is unanswerable.
    """

    refusals: int
    unanswerable: int
    true_positives: int
    precision: float | None
    recall: float | None
    f1: float | None


def is_refusal(answer: str, rule: RefusalDetection) -> bool:
    """Return whether an answer is a refusal by the given rule.

    Pass only answers of records with the status "ok", because a failed question has no answer.

    >>> is_refusal("...", "phrase_or_empty"), is_refusal("...", "phrase_or_blank")
    (False, True)
    """
    match rule:
        case "phrase_or_empty":
            return is_empty_or_phrase(answer)
        case "phrase_or_blank":
            return is_blank_or_phrase(answer)
        case "locomo_phrases":
            return names_no_information(answer)


def is_empty_or_phrase(answer: str) -> bool:
    """Return whether an answer is empty or contains the refusal phrase: the paper's rule.

    Case is ignored. A single space or dot is an answer.

    >>> [is_empty_or_phrase(answer) for answer in ("", "No information available.", ".")]
    [True, True, False]
    """
    return not answer or REFUSAL_PHRASE in answer.lower()


def is_blank_or_phrase(answer: str) -> bool:
    r"""Return whether an answer has no words, or contains the refusal phrase with any spacing.

    Outer quotes, spaces and punctuation are ignored.

    >>> is_blank_or_phrase('"..."'), is_blank_or_phrase("no  information\navailable")
    (True, True)
    """
    words = answer.strip(_OUTER_MARKS).lower().split()
    return not words or REFUSAL_PHRASE in " ".join(words)


def names_no_information(answer: str) -> bool:
    """Return whether an answer contains one of the two phrases that LoCoMo scores as a refusal.

    An empty answer is not a refusal.

    >>> names_no_information("That is NOT mentioned."), names_no_information("")
    (True, False)
    """
    return any(phrase in answer.lower() for phrase in LOCOMO_PHRASES)


def is_unanswerable(gold: Gold, rule: RefusalGold) -> bool:
    """Return whether a question is unanswerable, so that a refusal is the right answer.

    Under the rule "by_category", a question is unanswerable if the dataset says that the history
    does not answer it. Under the rule "by_missing_answer", which the released code uses, it is
    unanswerable if the dataset has no answer to it.

    >>> trap = Gold(("No",), "5", answerable=False)
    >>> is_unanswerable(trap, "by_category"), is_unanswerable(trap, "by_missing_answer")
    (True, False)
    """
    if rule == "by_category":
        return not gold.answerable
    return gold.answers == (REFUSAL_PHRASE,)


def gold_answers(gold: Gold, rule: RefusalGold) -> tuple[str, ...]:
    """Return the gold answers of a question, or the refusal phrase if it is unanswerable.

    >>> gold_answers(Gold(("No",), "5", answerable=False), "by_category")
    ('no information available',)
    """
    return (REFUSAL_PHRASE,) if is_unanswerable(gold, rule) else gold.answers


def refusal_scores(refused: Sequence[bool], unanswerable: Sequence[bool]) -> RefusalScores:
    """Score refusals, with F1 = 2 * right refusals / (refusals + unanswerable questions).

    >>> scores = refusal_scores([True, True, False], [True, False, False])
    >>> scores.precision, scores.recall, scores.f1
    (0.5, 1.0, 0.6666666666666666)
    """
    hits = sum(r and u for r, u in zip(refused, unanswerable, strict=True))
    refusals, impossible = sum(refused), sum(unanswerable)
    return RefusalScores(
        refusals=refusals,
        unanswerable=impossible,
        true_positives=hits,
        precision=hits / refusals if refusals else None,
        recall=hits / impossible if impossible else None,
        f1=2 * hits / (refusals + impossible) if impossible else None,
    )
