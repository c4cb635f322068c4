"""Recognise questions that need the previous one, such as "and when?" or "where did she go?"."""

import re

from remem.readers.ranked_sentences import terms

_OPENING = re.compile(r"\W*(?:and|but|so|then|what about|how about)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|its|their|there|that|this|those)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")


def is_follow_up(question: str) -> bool:
    """Tell whether a question can only be understood with the previous one.

    >>> [is_follow_up(text) for text in ("And when?", "Where did she go?", "Where is Ann?")]
    [True, True, False]
    """
    if _OPENING.match(question) or not terms(question):
        return True
    return _PRONOUN.search(question) is not None and _NAME.search(question) is None
