"""A text cut into its sentences, word for word."""

import re
from functools import lru_cache

_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s)|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|approx|no|e\.g|i\.e|[ap]\.m|z\.b|ca|ave|rd|jr|sr)|"
    r"(?-i:\b[A-Z])|\b\d{1,2})\.$",
    re.IGNORECASE,
)

_LONGEST = 8
"""Characters of the longest abbreviation, with its dot and what is before it."""


@lru_cache(maxsize=1 << 15)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order; together they hold all its words.

    >>> sentences("We met Dr. Lee at 5 p.m. in Rome. It rained!")
    ('We met Dr. Lee at 5 p.m. in Rome.', 'It rained!')
    """
    found, start = [], 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(
            text, max(start, match.end() - _LONGEST), match.end()
        ):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return tuple(sentence for sentence in found if sentence)
