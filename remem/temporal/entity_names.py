"""Match a name with a known name that is written slightly differently.

Complex-TR questions sometimes label an entity differently. Two names agree if they have the same
words in any order and case, ignoring small words ("Medical School, Oslo University" and "Oslo
University Medical School"). They also agree if this is true after removing a parenthesis that only
one of them has: "Unity (1994)" agrees with "Unity", but not with "Unity (2013)".
"""

import re
from collections.abc import Iterable

SMALL_WORDS = frozenset({"and", "the"})
_PARENTHESIS = re.compile(r"\([^()]*\)")


def resolve_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name if it is known, or the only known name that agrees with it, or None.

    >>> resolve_name("Unity (1994)", ["Unity", "Unity (2013)", "Progress"])
    'Unity'
    """
    names = set(known)
    if name in names:
        return name
    alike = [other for other in names if _agree(name, other)]
    return alike[0] if len(alike) == 1 else None


def _agree(name: str, other: str) -> bool:
    if _words(name) == _words(other):
        return True
    bare, other_bare = _PARENTHESIS.sub(" ", name), _PARENTHESIS.sub(" ", other)
    one_has_a_parenthesis = (bare == name) != (other_bare == other)
    return one_has_a_parenthesis and _words(bare) == _words(other_bare)


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.casefold())) - SMALL_WORDS or frozenset({name})
