"""What a question asks for: a date, a place, a person, a number, one of two options, a list."""

import re
from typing import Literal

from remem.readers.extractive import asks_truth

Kind = Literal["date", "duration", "number", "person", "place", "truth", "words"]

_DATE = re.compile(r"when\b|(?:what|which)\s+(?:date|day|month|year|week)\b", re.IGNORECASE)
_DURATION = re.compile(r"how\s+(?:long|often)\b", re.IGNORECASE)
_NUMBER = re.compile(r"how\s+(?:many|much|old)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"where\b|(?:what|which)\s+(?:locations?|places?|city|cities|country|countries|states?|towns?)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"(?:who|whom|whose)\b", re.IGNORECASE)
_WORDS = re.compile(r"(?:what|which|why|how)\b", re.IGNORECASE)
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_DATE, "date"),
    (_DURATION, "duration"),
    (_NUMBER, "number"),
    (_PLACE, "place"),
    (_PERSON, "person"),
    (_WORDS, "words"),
)
_ASKING = re.compile(r"\b(?=(?:what|which|when|where|who|whom|whose|why|how)\b)", re.IGNORECASE)
_OPTION = r"(?:(?:one\s+for|an?|the|by|in|to)\s+)?(?P<{}>[^,:;?]+?)"
_OPTIONS = re.compile(
    rf"(?:[,:]|\bone\s+for|\bto\s+an?|\bby|\bbetween|\bto|\bin)\s+{_OPTION.format('first')},?"
    rf"\s+or\s+{_OPTION.format('last')}\?",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bfrom\s+first\s+to\s+last\b|"
    r"^\W*(?:what|which)\s+(?:(?:kinds?|types?|sorts?)\s+of\s+)?(?:\w+\s+)?"
    r"(?!(?:was|is|does|has|this)\b)[\w-]+(?<![su'])s\b|"
    r"^\W*(?:what|who|which|where)\s+(?:are|were|has|have)\b|\bactivities\b|\bhobbies\b",
    re.IGNORECASE,
)


def question_kind(question: str) -> Kind:
    """Return the kind of answer that a question asks for, according to its first question word.

    >>> question_kind("Who was there when Ann moved?"), question_kind("Did Ann move?")
    ('person', 'truth')
    """
    if asks_truth(question):
        return "truth"
    asking = _ASKING.search(question)
    if asking is None:
        return "words"
    return next(kind for form, kind in _KINDS if form.match(question, asking.start()))


def options(question: str) -> tuple[str, ...]:
    """Return the two options that a question names; empty if it names none.

    >>> options("Would Ann rather have a gift, one for tennis or one for chess?")
    ('tennis', 'chess')
    """
    match = _OPTIONS.search(question)
    return (match["first"], match["last"]) if match else ()


def asks_list(question: str) -> bool:
    """Return whether a question asks for several things.

    >>> asks_list("What books did Ann read?"), asks_list("What book did Ann read?")
    (True, False)
    """
    return _SEVERAL.search(question) is not None
