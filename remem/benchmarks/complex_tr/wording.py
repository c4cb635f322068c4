"""How Complex-TR states its facts, asks its questions and names its anchor events.

Its slips ("he/she was worked for", "1 years", "headcoach") are its own. Only wordings that the
dataset was seen to have stand here, so some relations are never asked about, or not in the plural.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

STATEMENTS: Mapping[str, str] = {
    "P69": "{subject} studied at {object}",
    "P108": "{subject} worked for {object}",
    "P54": "{subject} played for {object}",
    "P39": "{subject} held the position of {object}",
    "P102": "{subject} was a member of the {object}",
    "P166": "{subject} received {object}",
    "P26": "{subject} was married to {object}",
    "P551": "{subject} lived in {object}",
    "P937": "{subject}  in {object}",
    "P127": "{subject} was owned by {object}",
    "P286": "{object} was the head coach of {subject}",
    "P488": "{object} was the chair of {subject}",
    "P6": "{object} was the head of the government of {subject}",
    "P35": "{object} was the head of the state of {subject}",
}
"""Every relation; one has lost its verb, the last four state the subject last."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask for the objects of a relation; L2M and L3M ask in the plural."""

    singular: str
    plural: str | None = None


ASKING: Mapping[str, Asking] = {
    "P69": Asking("Where was {subject} educated", "Where were {subject} educated"),
    "P108": Asking(
        "Which employer did {subject} work for", "Which employers did {subject} work for"
    ),
    "P54": Asking("Which team did {subject} play for", "Which teams did {subject} play for"),
    "P39": Asking("Which position did {subject} hold", "Which positions did {subject} hold"),
    "P102": Asking(
        "Which political party did {subject} belong to",
        "Which political parties did {subject} belong to",
    ),
    "P166": Asking("Which award did {subject} receive"),
    "P26": Asking("Who was the spouse of {subject}"),
    "P286": Asking("Who was the head coach of {subject}", "Who were the head coaches of {subject}"),
    "P488": Asking("Who was the chair of {subject}", "Who were the chairs of {subject}"),
    "P127": Asking("Who was the owner of {subject}"),
    "P6": Asking("Who was the head of {subject}"),
}

ANCHORS: Mapping[str, str] = {
    "P69": "he/she studied at {object}",
    "P108": "he/she worked for {object}",
    "P54": "he/she was playing for {object}",
    "P39": "he/she held the position of {object}",
    "P102": "he/she was the member of {object}",
    "P166": "he/she received {object}",
    "P26": "he/she was married to {object}",
    "P286": "{object} was the headcoach",
    "P488": "{object} was the chairperson",
}

ANCHORS_OF_WHEN: Mapping[str, str] = {**ANCHORS, "P108": "he/she was worked for {object}"}
"""L3M words one anchor differently."""


def write_month(month: int) -> str:
    """Write a month, counted from January of year 0, as in "May 1990"."""
    return f"{MONTHS[month % 12]} {month // 12}"


def write_offset(months: int) -> str:
    """Write a distance as in "1 years and 10 months"; a part that is 0 is left out."""
    years, rest = divmod(months, 12)
    parts = [f"{years} years"] * (years > 0) + [f"{rest} months"] * (rest > 0)
    return " and ".join(parts)
