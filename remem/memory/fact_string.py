"""The text of a fact for embedding and search, in our form or that of the released code."""

from typing import Literal

from remem.time_scope import TimePoint
from remem.types import Fact

FactString = Literal["bars", "released"]


def searched_text(fact: Fact, form: FactString) -> str:
    """Return the text under which a fact is embedded and searched.

    >>> fact = Fact("f1", "Ann", "saw", "a film", None, "s1", (), TimePoint(2023, 6, 19))
    >>> searched_text(fact, "bars")
    'Ann | saw | a film | said 2023-06-19'
    >>> searched_text(fact, "released")
    '(Ann, saw, a film), {"record_time": "2023-06-19"}'
    """
    if form == "bars":
        return fact.text
    triple = f"({fact.subject}, {fact.predicate}, {fact.object})"
    times = ", ".join(f'"{name}": "{point}"' for name, point in _times(fact).items() if point)
    return f"{triple}, {{{times}}}" if times else triple


def _times(fact: Fact) -> dict[str, TimePoint | None]:
    scope = fact.time
    return {
        "point_in_time": scope.point_in_time if scope else None,
        "start_time": scope.start_time if scope else None,
        "end_time": scope.end_time if scope else None,
        "record_time": fact.record_time,
    }
