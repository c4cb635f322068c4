"""Measure how many generated answers a judge accepts, and generate wrong ones.

The paper compares its judge with 100 human verdicts. Most of them are on right answers, so the
comparison says little about wrong answers. Two groups of wrong answers are generated here. In a
specific wrong answer, a date, number or name of the gold is replaced by another from the same
dataset. A vague one fits any question, or repeats the question.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from remem.errors import ModelUnavailableError
from remem.metrics.intervals import Share, share
from remem.metrics.qa import normalised_tokens
from remem.protocols import Judge
from remem.temporal.dates import MONTHS, find_dates
from remem.time_scope import TimePoint
from remem.types import Question, Usage

Kind = Literal["gold", "sentence", "other_date", "date", "number", "name", "generic", "topical"]
RIGHT: tuple[Kind, ...] = ("gold", "sentence", "other_date")
SPECIFIC: tuple[Kind, ...] = ("date", "number", "name")
VAGUE: tuple[Kind, ...] = ("generic", "topical")

GENERIC = (
    "It depends.",
    "Some time ago.",
    "Several things.",
    "Someone they know.",
    "It was mentioned in one of their conversations.",
)
TOPICAL = "It has to do with what was said when it came to this: {question}"

_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w:/-]|[.,]\d)")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\b")


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """A generated answer, whose kind says whether it is right or wrong."""

    question: str
    golds: tuple[str, ...]
    answer: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Part:
    """A replaceable part of a gold answer; `point` is the value of a date, None for others."""

    start: int
    end: int
    text: str
    point: TimePoint | None


@dataclass(frozen=True, slots=True)
class StressResult:
    """The share of judged answers that were accepted, by kind, and how many could not be judged."""

    accepted: dict[Kind, Share]
    errors: int
    usage: Usage


def wrong_answers(questions: Sequence[Question], per_kind: int, seed: int) -> list[MadeAnswer]:
    """Generate wrong answers of each kind to randomly drawn answerable questions.

    Args:
        questions: The questions of one dataset, which also provide the replacements.
        per_kind: The maximum number of answers of each kind.
        seed: The seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    answerable = [question for question in questions if question.gold.answerable]
    wrong: list[MadeAnswer] = []
    for kind in SPECIFIC:
        # Most capitals in a question belong to names; many in an answer begin a list item.
        texts = (
            question.query.text if kind == "name" else question.gold.answers[0]
            for question in answerable
        )
        lent = _distinct(part for text in texts for part in _parts(text, kind))
        order = (answerable[at] for at in rng.permutation(len(answerable)).tolist())
        made = (_specific(question, kind, lent, rng) for question in order)
        wrong.extend(
            islice((wrong_answer for wrong_answer in made if wrong_answer is not None), per_kind)
        )
    for kind in VAGUE:
        for at in rng.permutation(len(answerable))[:per_kind].tolist():
            text = answerable[at].query.text
            vague = str(rng.choice(GENERIC)) if kind == "generic" else TOPICAL.format(question=text)
            wrong.append(MadeAnswer(text, answerable[at].gold.answers, vague, kind))
    return wrong


def stress(judge: Judge, answers: Sequence[MadeAnswer], workers: int) -> StressResult:
    """Ask a judge about generated answers, and return the share of each kind that it accepts."""
    with ThreadPoolExecutor(workers) as pool:
        verdicts = list(pool.map(lambda answer: _verdict(judge, answer), answers))
    accepted: dict[Kind, Share] = {}
    for kind in (*RIGHT, *SPECIFIC, *VAGUE):
        given = [
            verdict[0]
            for answer, verdict in zip(answers, verdicts, strict=True)
            if answer.kind == kind and verdict is not None
        ]
        if given:
            accepted[kind] = share(sum(verdict == 1 for verdict in given), len(given))
    usages = (verdict[1] for verdict in verdicts if verdict is not None)
    return StressResult(accepted, verdicts.count(None), sum(usages, Usage()))


def _verdict(judge: Judge, made: MadeAnswer) -> tuple[float, Usage] | None:
    try:
        return judge.judge(made.question, made.golds, made.answer)
    except ModelUnavailableError:
        return None


def _specific(
    question: Question, kind: Kind, lent: Sequence[_Part], rng: np.random.Generator
) -> MadeAnswer | None:
    """Return the gold with one part replaced; None if no replacement is certainly wrong."""
    golds = question.gold.answers
    gold = golds[0]
    parts = list(_parts(gold, kind))
    if not parts:
        return None
    part = parts[int(rng.integers(len(parts)))]
    for at in rng.permutation(len(lent)).tolist():
        other = lent[at]
        if _differ(part, other) and not any(_includes(gold, other.text) for gold in golds):
            answer = gold[: part.start] + other.text + gold[part.end :]
            return MadeAnswer(question.query.text, golds, answer, kind)
    return None


def _distinct(parts: Iterable[_Part]) -> list[_Part]:
    by_text = {part.text: part for part in parts}
    return [by_text[text] for text in sorted(by_text)]


def _parts(text: str, kind: Kind) -> Iterator[_Part]:
    """Yield the parts of a kind: dates, or numbers or names outside of dates."""
    dates = [_Part(start, end, text[start:end], point) for start, end, point in find_dates(text)]
    if kind == "date":
        yield from dates
        return
    for match in (_NUMBER if kind == "number" else _NAME).finditer(text):
        start, end = match.span()
        begins_sentence = end < len(text) and text[:start].rstrip()[-1:] in ("", ".", "?", "!")
        in_date = any(date.start < end and start < date.end for date in dates)
        if not (in_date or match.group() in MONTHS or (kind == "name" and begins_sentence)):
            yield _Part(start, end, match.group(), None)


def _differ(part: _Part, other: _Part) -> bool:
    """Return whether two parts exclude each other; a year, for example, includes its days."""
    if part.point is not None and other.point is not None:
        return (
            part.point.last_minute < other.point.first_minute
            or other.point.last_minute < part.point.first_minute
        )
    if part.text.isdecimal() and len(part.text) != len(other.text):
        return False  # a year is replaced by a year, a count by a count
    return not set(normalised_tokens(part.text)) & set(normalised_tokens(other.text))


def _includes(gold: str, text: str) -> bool:
    return set(normalised_tokens(text)) <= set(normalised_tokens(gold))


SENTENCE = "From what was said, the answer is: {gold}."


def right_answers(questions: Sequence[Question], per_kind: int, seed: int) -> list[MadeAnswer]:
    """Generate right answers of each kind to randomly drawn answerable questions.

    The kinds are the gold itself, a sentence that ends with the gold, and the gold with each
    complete date written as year-month-day.

    Args:
        questions: The questions of one dataset.
        per_kind: The maximum number of answers of each kind.
        seed: The seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    answerable = [question for question in questions if question.gold.answerable]
    order = [answerable[at] for at in rng.permutation(len(answerable)).tolist()]
    right = []
    for question in order[:per_kind]:
        gold = question.gold.answers[0]
        made = question.query.text, question.gold.answers
        right.append(MadeAnswer(*made, gold, "gold"))
        right.append(MadeAnswer(*made, SENTENCE.format(gold=gold), "sentence"))
    dated = [(question, _with_dates_rewritten(question.gold.answers[0])) for question in order]
    other = [(question, text) for question, text in dated if text != question.gold.answers[0]]
    right += [
        MadeAnswer(question.query.text, question.gold.answers, text, "other_date")
        for question, text in other[:per_kind]
    ]
    return right


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
