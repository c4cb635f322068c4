"""Judge answers by their words, dates and numbers, without a model, as a baseline.

The judge `likelihood` combines the features defined here with likelihoods from a small model.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from remem.metrics.qa import normalised_tokens
from remem.metrics.refusal import is_blank_or_phrase
from remem.temporal.dates import find_dates, parse_point
from remem.temporal.spans import ONES
from remem.time_scope import TimePoint
from remem.types import Usage

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
    """The numbers by which an answer is compared with a gold answer.

    `log_ratio` is the mean over the gold's tokens of log P(token | question, answer) minus log
    P(token | question), limited to [-1, 3]. `recall` is the share of the gold's words in the
    answer. The other features are 0 or 1. `no_answer` is 1 if the answer says that the
    requested fact is unknown, and `contradicts` is 1 if it states a date or number that contradicts
    the gold.
    """

    log_ratio: float
    recall: float
    no_answer: float
    contradicts: float

    @property
    def values(self) -> tuple[float, ...]:
        """Return the features in the order of the fields."""
        return (self.log_ratio, self.recall, self.no_answer, self.contradicts)


def answer_features(
    gold: str, answer: str, given: Sequence[float], alone: Sequence[float]
) -> AnswerFeatures:
    """Compute the features of an answer.

    Args:
        gold: The right answer.
        answer: The answer, without citations.
        given: The log-probability of each token of the gold after the question and the answer.
        alone: The log-probability of each token of the gold after only the question.

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
    """Remove texts in square brackets, which are ids and dates of sources.

    >>> without_citations("It was **Rex** [session=s12].")
    'It was **Rex**.'
    """
    return _CITATION.sub("", answer).strip()


def word_recall(gold: str, answer: str) -> float:
    """Return the share of the gold's words that are in the answer.

    A word that occurs twice in the gold counts twice only if the answer has it twice, too.

    >>> word_recall("the red car", "A red bus")
    0.5
    """
    words = normalised_tokens(gold)
    if not words:
        return 0.0
    return (Counter(words) & Counter(normalised_tokens(answer))).total() / len(words)


def says_no_answer(answer: str) -> bool:
    """Return whether a text says, in words that models typically use, that the answer is unknown.

    >>> says_no_answer("I don't have any information on that."), says_no_answer("She has no dog.")
    (True, False)
    """
    return _NO_ANSWER.search(answer) is not None


MINUTES_PER_DAY = 24 * 60
WEEK = 7

_WORDS = {"once": 1, "twice": 2} | {word: value for value, word in enumerate(ONES, 1)}
_NUMBER = rf"(?P<digits>\d[\d,]*(?:\.\d+)?)|\b(?P<word>{'|'.join(reversed(_WORDS))})\b"
_ANY_NUMBER = re.compile(rf"(?<![\w.])(?:{_NUMBER})", re.IGNORECASE)
_ONLY_NUMBER = re.compile(
    rf"\W*(?:(?:about|around|over|almost|nearly)\s+)?(?:{_NUMBER})(?!\w)(?:\s+[^\W\d]+){{0,3}}\W*",
    re.IGNORECASE,
)
_FIRST_CLAUSE = re.compile(r"[;(]|\.(?!\d)")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_SHIFT = re.compile(
    r"(?P<two>\b(?:two|2)\b[^.]*)?\b(?:(?P<before>before)|(?P<after>after)|week(?:end)?\s+of)\s*$",
    re.IGNORECASE,
)


def contradicts(gold: str, answer: str) -> bool:
    """Return whether the gold is a date or a number and the answer states another date or number.

    The dates of an answer contradict the gold if none of them overlaps the gold's date. A phrase
    such as "the week before 9 June" covers all days that it may mean. A number contradicts the gold
    only if it is the only number in the answer, because any of several could be the answer.

    >>> contradicts("7 May 2023", "It was in June 2023."), contradicts("7 May 2023", "May 2023")
    (True, False)
    >>> contradicts("3", "You have two."), contradicts("3", "You have two cats and a dog, 3 pets.")
    (True, False)
    """
    spans = _day_spans(gold)
    if spans:
        first, last = spans[0]
        answered = _day_spans(answer)
        met = any(begin <= last and first <= end for begin, end in answered)
        return bool(answered) and not met
    value = _only_number(gold)
    stated = _numbers(answer)
    return value is not None and len(stated) == 1 and value not in stated


def _day_spans(text: str) -> list[tuple[int, int]]:
    """Return the first and last day of each date, as LoCoMo words them ("the week before ...")."""
    whole = parse_point(text)  # which also reads a bare year
    spans = [] if whole is None else [_days(whole)]
    for start, _, point in find_dates(text):
        first, last = _days(point)
        shift = _SHIFT.search(text[:start]) if point.day is not None else None
        if shift is None:
            spans.append((first, last))
        elif shift["before"]:
            spans.append((first - (2 * WEEK if shift["two"] else WEEK + 1), last - 1))
        elif shift["after"]:
            spans.append((first + 1, last + WEEK + 1))
        else:
            spans.append((first - WEEK + 1, last + WEEK - 1))
    return spans


def _days(point: TimePoint) -> tuple[int, int]:
    return point.first_minute // MINUTES_PER_DAY, point.last_minute // MINUTES_PER_DAY


def _only_number(gold: str) -> float | None:
    """Return the number if a gold is a number with a unit of up to three words; else None."""
    match = _ONLY_NUMBER.fullmatch(_FIRST_CLAUSE.split(gold.strip(), maxsplit=1)[0])
    return None if match is None else _value(match)


def _numbers(answer: str) -> set[float]:
    """Return the numbers in an answer, except those of dates and those that number a list."""
    text = _LIST_MARK.sub(" ", answer)
    for start, end, _ in reversed(find_dates(text)):
        text = f"{text[:start]} {text[end:]}"
    return {_value(match) for match in _ANY_NUMBER.finditer(text)}


def _value(match: re.Match[str]) -> float:
    digits = match["digits"]
    return float(digits.replace(",", "")) if digits else float(_WORDS[match["word"].lower()])


class RulesJudge:
    """Accepts an answer that has enough words of the gold and no contradicting date or number."""

    def __init__(self, *, least_recall: float) -> None:
        """Store the minimum share of the gold's words, above 0 and up to 1, in a right answer.

        Raises:
            ValueError: The share is not above 0 and up to 1.
        """
        if not 0 < least_recall <= 1:
            raise ValueError(
                f"judge.build.least_recall is {least_recall}; expected more than 0 and at most 1"
            )
        self._least_recall = least_recall

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[bool, Usage]:
        """Return whether the answer agrees with one of the gold answers; `question` is not used."""
        bare_answer = without_citations(answer)
        return any(self._is_right(gold, bare_answer) for gold in golds), Usage()

    def _is_right(self, gold: str, bare_answer: str) -> bool:
        if is_blank_or_phrase(gold):
            return is_blank_or_phrase(bare_answer) or says_no_answer(bare_answer)
        if is_blank_or_phrase(bare_answer) or says_no_answer(bare_answer):
            return False
        return word_recall(gold, bare_answer) >= self._least_recall and not contradicts(
            gold, bare_answer
        )
