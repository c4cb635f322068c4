"""The wordings of Complex-TR for facts, questions and anchor events.

Slips such as "he/she was worked for", "1 years" and "headcoach" come from the dataset. The file
`texts/wording.yaml` has only wordings that the dataset uses, so some relations have no question, or
no question in the plural.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remem.files.yaml_text import read_texts

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

FILE = Path(__file__).parent / "texts" / "wording.yaml"


@dataclass(frozen=True, slots=True)
class Asking:
    """Two templates of a question about a relation; levels L2M and L3M use `plural`."""

    singular: str
    plural: str | None = None


@dataclass(frozen=True, slots=True)
class RelationWording:
    """The wordings of facts, questions and anchor events, each by relation.

    An anchor event is the event that a question refers to. Level L3M uses `anchors_of_when`
    instead of `anchors`; the two differ in the wording of one relation.
    """

    statements: Mapping[str, str]
    asking: Mapping[str, Asking]
    anchors: Mapping[str, str]
    anchors_of_when: Mapping[str, str]


@cache
def wording() -> RelationWording:
    """Return all wordings."""
    return read_texts(FILE, RelationWording)


def write_month(month: int) -> str:
    """Return a month, counted from January of year 0, in the form "May 1990"."""
    return f"{MONTHS[month % 12]} {month // 12}"


def write_offset(months: int) -> str:
    """Return a distance in the form "1 years and 10 months"; a zero part is left out."""
    years, rest = divmod(months, 12)
    parts = [f"{years} years"] * (years > 0) + [f"{rest} months"] * (rest > 0)
    return " and ".join(parts)
