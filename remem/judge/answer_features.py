"""The four features of an answer for the likelihood judge, three of which need no model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from remem.judge.stated_values import contradicts
from remem.metrics.qa import normalised_tokens

LEAST_RATIO, MOST_RATIO = -1.0, 3.0
"""Limits of the mean log-likelihood ratio, which can reach 10 for a gold of one rare token."""

_CITATION = re.compile(r"\s*\[[^\]]*\]")
_VERBS = (
    "have|contain|specify|mention|provide|include|know|see|find|indicate|state|determine|record|"
    "tell|say"
)
_NO_ANSWER = re.compile(
    rf"\b(?:do|does|did|could|can)(?:\s+not|n['\u2019]t)\s+(?:\w+\s+){{0,2}}?(?:{_VERBS})\b|"
    r"\bno\s+(?:(?:specific|clear)\s+)?(?:information|mention|record|details?|data|indication)\b|"
    r"\bnot\s+(?:mentioned|specified|available|recorded|stated|possible)\b|"
    r"\b(?:cannot|can['\u2019]t|unable\s+to|not\s+able\s+to)\s+(?:\w+\s+)?"
    r"(?:determine|calculate|tell|confirm|provide|identify|find|say|answer)\b|\black(?:s|ing)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """The features of an answer in comparison with a gold answer.

    `log_ratio` is the mean over the gold's tokens of log P(token | question, answer) minus log
    P(token | question), limited to [-1, 3]. `recall` is the share of the gold's words in the
    answer. The other features are 0 or 1: whether the answer says that it is unknown, and whether
    it states another date or number.
    """

    log_ratio: float
    recall: float
    no_answer: float
    contradicts: float

    @property
    def values(self) -> tuple[float, ...]:
        """Return the numbers in the order of the fields."""
        return (self.log_ratio, self.recall, self.no_answer, self.contradicts)


def answer_features(
    gold: str, answer: str, given: Sequence[float], alone: Sequence[float]
) -> AnswerFeatures:
    """Compute the features of an answer.

    Args:
        gold: The right answer.
        answer: The answer, without citations.
        given: The log-probability of each token of the gold after question and answer.
        alone: The same after the question alone.

    Raises:
        ValueError: `given` and `alone` have different lengths.
    """
    ratio = fmean(likelihood - other for likelihood, other in zip(given, alone, strict=True))
    return AnswerFeatures(
        log_ratio=min(max(ratio, LEAST_RATIO), MOST_RATIO),
        recall=word_recall(gold, answer),
        no_answer=float(says_no_answer(answer)),
        contradicts=float(contradicts(gold, answer)),
    )


def without_citations(answer: str) -> str:
    """Remove text in square brackets: ids and dates of sources.

    >>> without_citations("It was **Rex** [session=s12].")
    'It was **Rex**.'
    """
    return _CITATION.sub("", answer).strip()


def word_recall(gold: str, answer: str) -> float:
    """Return the share of the gold's words that the answer has, counted as multisets.

    >>> word_recall("the red car", "A red bus")
    0.5
    """
    words = normalised_tokens(gold)
    if not words:
        return 0.0
    return (Counter(words) & Counter(normalised_tokens(answer))).total() / len(words)


def says_no_answer(answer: str) -> bool:
    """Return True if an answer says, in the usual words of models, that the answer is unknown.

    >>> says_no_answer("I don't have any information on that."), says_no_answer("She has no dog.")
    (True, False)
    """
    return _NO_ANSWER.search(answer) is not None
