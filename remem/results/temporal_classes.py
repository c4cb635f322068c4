"""Classify questions into the paper's eight temporal classes (Performance by Temporal Category).

The paper classified them with a model. This module uses our own patterns on the text of a question:
its class is the first in RULES whose pattern is found.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

TemporalClass = Literal[
    "existence_check",
    "event_timing",
    "event_attributes",
    "order",
    "duration",
    "aggregation",
    "other",
    "non_temporal",
]
CLASSES: tuple[TemporalClass, ...] = get_args(TemporalClass)
TEMPORAL = "when"
"""The prefix of the categories in results/paper that are made of these classes."""

UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|thanksgiving|halloween|easter|new year)"
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
DATE = (
    rf"\b{MONTH}(?:\s+\d{{1,2}}\b|,?\s+\d{{4}}\b)|\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{MONTH}\b"
    rf"|\b(?:in|of|during|since|until|by|early|mid|late|last|next)\b[\s-]+{MONTH}\b"
    r"|\b(?:19|20)\d\d\b"
)
RELATIVE = (
    rf"\b(?:last|this|next|past|previous|coming)\s+(?:few\s+|\w+\s+)?(?:{UNIT}|{SEASON}|{WEEKDAY})\b"
    rf"|\b{UNIT}\s+ago\b|\b(?:yesterday|today|tonight|tomorrow)\b|\bon\s+{WEEKDAY}\b"
    rf"|\b(?:in|over|during)\s+the\s+{SEASON}\b|\b(?:recently|lately)\b"
)
FRAME = rf"{DATE}|{RELATIVE}|\b(?:during|throughout)\b"
"""An expression that sets the time of an event: a date, a relative time, or another event."""

WHEN = (
    r"^(?:and\s+)?(?:since\s+|until\s+)?when\b|\band\s+when\s+(?:did|was|were|is|will)\b"
    rf"|\b(?:what|which)\s+(?:\w+\s+)?(?:date|time|century|{UNIT}|{SEASON})\b(?!\s+(?:of\s+day|frame))"
    rf"|^what\s+(?:is|was)\s+the\s+(?:exact\s+)?(?:date|time|day|month|year)\b"
)
LENGTH = (
    r"\bhow\s+long\b|\bhow\s+much\s+time\b|\blength\s+of\s+time\b"
    rf"|\bhow\s+many\s+(?:more\s+)?{UNIT}\s+(?!(?:a|per|each|every)\b)|\bwhat\s+is\s+the\s+duration\b"
)
COUNT_OF_EVENTS = (
    r"\bhow\s+(?:often|frequently)\b|\bhow\s+many\s+times\b|\bnumber\s+of\s+times\b"
    r"|\bhow\s+many\s+(?:(?!does\b|do\b)[\w'-]+\s+){1,6}?(?:has|have|had|did|was|were|will)\b"
)
SEQUENCE = (
    r"(?<!look )(?<!looks )(?<!looked )(?<!looking )\b(?:after|before|while|prior\s+to)\b"
    rf"(?!\s+(?:the\s+)?(?:\w+\s+of\s+)?(?:{DATE}))"  # "before 3 May" only holds it to a time
    r"|\bat\s+the\s+same\s+time\b|\bas\s+soon\s+as\b"
    r"|\b(?:earlier|earliest|latest|most\s+recent|chronological|subsequently)\b"
    r"|\b(?:did|do|does|happened|come|came|start|started)\b[^?]*\b(?:first|last|next)\s*\?"
    r"|\b(?:which|who|what|where)\b[^?]*\bfirst\b[^?]*\bor\b"
)
TRUTH = r"^(?:did|does|do|has|have|had|is|are|was|were|will|would|could|can)\b"
PROSPECT = (
    r"\b(?:soon|eventually|some\s?day|in\s+the\s+(?:near\s+)?future|any\s?more|any\s+longer)\b"
)

PATTERNS: Mapping[TemporalClass, str] = {
    "duration": LENGTH,
    "aggregation": COUNT_OF_EVENTS,
    "event_timing": WHEN,
    "existence_check": rf"{TRUTH}(?=.*(?:{FRAME}))",
    "order": SEQUENCE,
    "event_attributes": FRAME,
    "other": PROSPECT,
}
RULES = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in PATTERNS.items()}


def class_by_rules(question: str) -> TemporalClass:
    """Return the class of a question by its text; "non_temporal" if no pattern is found.

    >>> class_by_rules("How long did the ferry take?"), class_by_rules("Who steers the ferry?")
    ('duration', 'non_temporal')
    """
    words = " ".join(question.split())
    return next((name for name, pattern in RULES.items() if pattern.search(words)), "non_temporal")


def is_temporal(category: str) -> bool:
    """Return whether a category of the paper's tables is made of temporal classes."""
    return category == TEMPORAL or category.startswith((f"{TEMPORAL}:", f"{TEMPORAL}_"))


def in_category(category: str, found: TemporalClass) -> bool:
    """Return whether a class belongs to a category of the paper's tables.

    "when" contains all temporal classes, "when_not" the other questions, "when:order" one class.

    >>> [in_category(one, "order") for one in ("when", "when_not", "when:order", "when:other")]
    [True, False, True, False]
    """
    if category == TEMPORAL:
        return found != "non_temporal"
    return found == category.removeprefix(f"{TEMPORAL}:").replace(f"{TEMPORAL}_not", "non_temporal")
