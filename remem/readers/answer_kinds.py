"""What a question asks for, such as a date or a place, and whether a sentence has one."""

import re

from remem.readers.extractive import asks_date
from remem.temporal.dates import MONTH_PATTERN
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint

_NUMBERS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once|hundred"
)
_COLOURS = (
    r"black|blue|brown|gr[ae]y|green|orange|pink|purple|red|silver|turquoise|violet|white|yellow"
)
_NO_PLACE = (
    rf"(?:{MONTH_PATTERN}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_NUMBERS}|\d|last|least|"
    r"all|time|noon|night|midnight|once|be\b|get\b|do\b|go\b|see\b|have\b)"
)
_KINDS = tuple(
    (re.compile(asking, re.IGNORECASE), re.compile(having))
    for asking, having in (
        (
            r"\bhow\s+(?:many|much|old|long|often|far|tall|big|cold|fast)\b|\bwhat\s+time\b",
            rf"(?i)\d|\b(?:{_NUMBERS})\b",
        ),
        (
            r"\bwhere\b|\b(?:what|which)\s+(?:place|city|town|country|street)\b",
            rf"\b(?:in|at|to|from|near|on|behind|under|next to)\s+(?!(?i:{_NO_PLACE}))\w",
        ),
        (
            r"^\W*(?:\w+\s+)?(?:who|whom|whose)\b",
            rf"(?<=[\w,:]\s)(?!(?:{MONTH_PATTERN}|\w+day)\b)[A-Z][a-z]+|\bI\b",
        ),
        (r"\bwhy\b", r"(?i)\b(?:because|since|so that|due to)\b"),
        (
            r"\bname\b|\b(?:call|named?|called)\W*$|^\W*what\b.*\b(?:called|named)\b",
            r"(?i)\b(?:called|named?|names|call)\b",
        ),
        (r"\bcolou?r\b", rf"(?i)\b(?:{_COLOURS})\b"),
    )
)


def has_kind(question: str, sentence: str, said_at: TimePoint | None) -> bool:
    """Tell whether a sentence, said at `said_at`, has the kind of thing that a question asks for.

    >>> has_kind("Where is the key?", "It hangs on the door.", None)
    True
    >>> has_kind("Where is the key?", "I lost it on Monday.", None)
    False
    """
    if asks_date(question):
        return bool(times_in(sentence, said_at))
    return any(
        asking.search(question) is not None and having.search(sentence) is not None
        for asking, having in _KINDS
    )
