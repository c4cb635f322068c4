"""Token F1 and exact match as in HippoRAG 2, which the paper uses (section Experimental Setup).

Both scores normalise texts as SQuAD does, and compare the answer with the best gold. The released
code scores LoCoMo with another F1 (stems, cuts at commas, a binary rule for refusals). This module
follows the paper.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import get_args
from unicodedata import category

from remem.files.json_text import json_value
from remem.files.unspaced_scripts import spaced
from remem.types import AnswerSeparator

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised_tokens(text: str) -> list[str]:
    """Split a text into lower-case words, without ASCII punctuation and without articles.

    >>> normalised_tokens("The cat's  mat, a red one.")
    ['cats', 'mat', 'red', 'one']
    """
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def character_tokens(text: str) -> list[str]:
    """Split a text like `normalised_tokens`, but into characters in scripts without spaces.

    The punctuation of all scripts is removed, not only ASCII punctuation.

    >>> character_tokens("我搬到了上海。The iPad!")
    ['我', '搬', '到', '了', '上', '海', 'ipad']
    """
    without_marks = "".join(sign for sign in text if not category(sign).startswith("P"))
    return normalised_tokens(spaced(without_marks))


Tokenise = Callable[[str], list[str]]


def token_f1(answer: str, golds: Sequence[str], tokens: Tokenise = normalised_tokens) -> float:
    """Return the F1 between the words of the answer and of the best gold, counting repeats.

    F1 = 2 * shared / (words of the answer + words of the gold). It is 0 if the answer or the gold
    has no words. So an empty answer to an unanswerable question is a refusal (see
    `remem.metrics.refusal`), but its F1 with the gold phrase is 0.

    >>> token_f1("a red car", ["The red car of Ann", "bus"])  # 2 shared words of 2 and 4
    0.6666666666666666
    """
    return max(overlap_f1(tokens(answer), tokens(gold)) for gold in golds)


def exact_match(answer: str, golds: Sequence[str], tokens: Tokenise = normalised_tokens) -> float:
    """Return 1 if the answer equals a gold after normalisation, else 0.

    Two texts without words are equal here, as in the published evaluators, but their F1 is 0.

    >>> exact_match("the Red car!", ["red car"])
    1.0
    """
    words = tokens(answer)
    return float(any(words == tokens(gold) for gold in golds))


def overlap_f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 between two lists of words, counting repeats; 0 if either is empty.

    >>> overlap_f1(["red", "car"], ["red", "red", "car"])
    0.8
    """
    if not answer or not gold:
        return 0.0
    shared = (Counter(answer) & Counter(gold)).total()
    return 2 * shared / (len(answer) + len(gold))


MARKS: dict[AnswerSeparator, str] = {"commas": ",", "semicolons": ";"}


def join_answers(items: Iterable[str], separator: AnswerSeparator) -> str:
    """Join items into one answer; `separator` is the name of a separator.

    >>> join_answers(["Rome", "Oslo"], "semicolons")
    'Rome; Oslo'
    """
    return f"{MARKS[separator]} ".join(items)


def split_answers(answer: str, separator: AnswerSeparator) -> list[str]:
    """Split an answer into its items, and leave out blank items.

    >>> split_answers("Rome;Oslo; ", "semicolons"), split_answers("Rome; Oslo", "commas")
    (['Rome', 'Oslo'], ['Rome; Oslo'])
    """
    parts = (part.strip() for part in answer.split(MARKS[separator]))
    return [part for part in parts if part]


def checked_separator(separator: str) -> AnswerSeparator:
    """Check the name of a separator, and return it.

    Raises:
        ValueError: The name is unknown.
    """
    known: tuple[AnswerSeparator, ...] = get_args(AnswerSeparator)
    for answer in known:
        if answer == separator:
            return answer
    raise ValueError(
        f"unknown answer_separator {separator!r}; choose {' or '.join(known)} (conf/dataset)"
    )


def tot_exact_match(answer: str, label: str) -> float:
    """Return 1 if the normalised answer is exactly the label, else 0.

    >>> tot_exact_match('{"explanation": "by start", "answer": "E9, E33"}', "E9,E33")
    1.0
    """
    return float(normalised_tot_answer(answer) == label.strip())


def normalised_tot_answer(answer: str) -> str:
    """Return an answer in the form of a label.

    If the answer is a JSON object, its value of "answer" is used.

    Lists are joined with commas, numbers become text, and spaces in lists of entities are removed.

    >>> normalised_tot_answer('{"answer": ["E9", "E33"]}'), normalised_tot_answer(" E9, E33 ")
    ('E9,E33', 'E9,E33')
    """
    text = _as_text(_answer_value(answer)).strip()
    return text.replace(" ", "") if text.startswith("E") and ", " in text else text


def _answer_value(answer: str) -> object:
    try:
        parsed = json_value(answer)
    except ValueError:  # not JSON, or a model that only repeats brackets
        return answer
    return parsed["answer"] if isinstance(parsed, dict) and "answer" in parsed else answer


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return "" if value is None else str(value)
