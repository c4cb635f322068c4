"""How Complex-TR states its facts, asks its questions and names its anchor events.

Its slips ("he/she was worked for", "1 years", "headcoach") are its own. Only wordings that the
dataset was seen to have stand here, so some relations are never asked about, or not in the plural.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remem.benchmarks.text_files import read_texts

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

FILE = Path(__file__).parent / "texts" / "wording.yaml"


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask for the objects of a relation; L2M and L3M ask in the plural."""

    singular: str
    plural: str | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """By relation: how a fact is stated, asked for and named as an anchor event.

    L3M (`anchors_of_when`) words one anchor differently.
    """

    statements: Mapping[str, str]
    asking: Mapping[str, Asking]
    anchors: Mapping[str, str]
    anchors_of_when: Mapping[str, str]


@cache
def wording() -> Wording:
    """Return all wordings."""
    return read_texts(FILE, Wording)


def write_month(month: int) -> str:
    """Write a month, counted from January of year 0, as in "May 1990"."""
    return f"{MONTHS[month % 12]} {month // 12}"


def write_offset(months: int) -> str:
    """Write a distance as in "1 years and 10 months"; a part that is 0 is left out."""
    years, rest = divmod(months, 12)
    parts = [f"{years} years"] * (years > 0) + [f"{rest} months"] * (rest > 0)
    return " and ".join(parts)
