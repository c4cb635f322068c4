"""Count the outcomes of imported answers (right, wrong, empty ...), and leaked gold answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from remem.apps.referee.imports.matched import MatchedAnswer, MatchedAnswers
from remem.judge.rules_judge import says_no_answer
from remem.metrics.qa import normalised_tokens
from remem.metrics.refusal import is_blank_or_phrase, names_no_information

Kind = Literal["right", "error", "empty", "cut", "refused", "wrong", "unjudged"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RIGHT_FROM = 0.5
"""The smallest verdict that counts as right."""
LEAST_QUESTION = 5
"""A question of fewer words may occur in a context by chance."""
LEAST_LETTERS = 4
"""A gold answer of one word must have so many letters; shorter ones occur by chance."""


@dataclass(frozen=True, slots=True)
class Census:
    """The outcomes of the answers of a run.

    Attributes:
        counts: The number of answers of each kind; each answer is of one kind.
        refused: The ids of all answers that refuse, right or not.
        leaked: The ids of the answers whose gold answer was leaked to the reader (`is_leaked`).
    """

    counts: Mapping[Kind, int]
    refused: tuple[str, ...]
    leaked: tuple[str, ...]


def census(matched: MatchedAnswers) -> Census:
    """Count the outcomes of answers by the judge's verdicts, not by the score of a formula."""
    judge = matched.imported.base or matched.imported.main
    counts = Counter(outcome_of(answer, judge) for answer in matched.answers)
    return Census(
        {kind: counts[kind] for kind in KINDS},
        tuple(answer.id for answer in matched.answers if refuses(answer.answer.answer)),
        tuple(answer.id for answer in matched.answers if is_leaked(answer)),
    )


def outcome_of(matched: MatchedAnswer, judge: str) -> Kind:
    """Return the outcome of an answer; an error or empty answer is never "right"."""
    answer = matched.answer
    verdict = answer.verdicts.get(judge)
    if answer.answer is None:
        return "error"
    if not has_words(answer.answer):
        return "empty"
    if verdict is not None and verdict >= RIGHT_FROM:
        return "right"
    if answer.is_cut:
        return "cut"
    if refuses(answer.answer):
        return "refused"
    return "unjudged" if verdict is None else "wrong"


def has_words(answer: str) -> bool:
    """Return whether an answer has a letter or a digit."""
    return any(map(str.isalnum, answer))


def refuses(answer: str | None) -> bool:
    """Return whether an answer is blank, or refuses with a fixed phrase or in typical words."""
    return answer is not None and (
        is_blank_or_phrase(answer) or names_no_information(answer) or says_no_answer(answer)
    )


def is_leaked(matched: MatchedAnswer) -> bool:
    """Return whether the gold answer reached the reader through something other than the memory.

    A gold answer is leaked if the question or another part of the prompt contains it. It is also
    leaked if the context contains both the question and the gold answer, for example because the
    file of questions was stored in the memory. Gold answers of one short word are ignored, and so
    are questions that should be refused.
    """
    question, answer = matched.question, matched.answer
    if not question.gold.answerable:
        return False
    golds = [tokens for gold in question.gold.answers if (tokens := _telling(gold))]
    question_tokens = normalised_tokens(question.query.text)
    if any(_contains(question_tokens, gold) for gold in golds):
        return True
    if answer.prompt and any(_contains(normalised_tokens(answer.prompt), gold) for gold in golds):
        return True
    if answer.context is None or len(question_tokens) < LEAST_QUESTION:
        return False
    context = normalised_tokens(answer.context)
    return _contains(context, question_tokens) and any(_contains(context, gold) for gold in golds)


def _telling(gold: str) -> list[str]:
    """Return the words of a gold answer; an empty list if it is one short word."""
    tokens = normalised_tokens(gold)
    return tokens if len(tokens) > 1 or len("".join(tokens)) >= LEAST_LETTERS else []


def _contains(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a text contains these words one after the other."""
    return f" {' '.join(words)} " in f" {' '.join(tokens)} "
