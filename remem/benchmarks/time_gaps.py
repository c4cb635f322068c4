"""Read how long before a question something was said: "about two months later" (LoCoMo-Plus).

A week has 7 days, a month 30 and a year 365, as in the code of LoCoMo-Plus (`data/build_conv.py`).
"""

import re
from typing import Literal, get_args

GapRule = Literal["released", "counted"]
"""How "several months" is read: as no time at all, which the released code does, or as three."""

_UNITS = {"week": 7, "month": 30, "year": 365}
_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: count for count, word in enumerate(_WORDS.split(), start=1)}
_RELEASED = _NUMBERS | {"a": 1, "an": 1}
_COUNTED = _RELEASED | {"a couple of": 2, "a few": 3, "several": 3}
MOST_DIGITS = 4


def gap_days(text: str, rule: GapRule) -> int:
    """Return the days of a time gap; 0 if it names no number of weeks, months or years.

    >>> gap_days("about six weeks later", "released"), gap_days("a year after", "released")
    (42, 365)
    >>> gap_days("several months later", "released"), gap_days("several months later", "counted")
    (0, 90)
    """
    words = _RELEASED if rule == "released" else _COUNTED
    counts = "|".join(sorted(words, key=len, reverse=True))
    found = re.search(
        rf"\b(?:([0-9]{{1,{MOST_DIGITS}}})|({counts}))\b\s*({'|'.join(_UNITS)})s?\b", text.lower()
    )
    if found is None:
        return 0
    return (int(found[1]) if found[1] else words[found[2]]) * _UNITS[found[3]]


def checked_gap_rule(name: str) -> GapRule:
    """Return the rule with this name.

    Raises:
        ValueError: The name is unknown.
    """
    known: tuple[GapRule, ...] = get_args(GapRule)
    for rule in known:
        if rule == name:
            return rule
    raise ValueError(f"gap_rule is {name!r}, expected {' or '.join(map(repr, known))}")
