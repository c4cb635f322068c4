"""The wordings of the eight Test of Time question types, as the dataset has them.

Their slips ("between A to B", "how many unique entities where the R") are the dataset's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask: a template, its `which` (start, after, last, ...) and what it asks for."""

    text: str
    which: str = ""
    asks: Literal["subject", "object"] = "subject"


def _for_each(choices: Sequence[str], *texts: str) -> tuple[Wording, ...]:
    return tuple(Wording(text, which) for text in texts for which in choices)


WORDINGS: Mapping[str, tuple[Wording, ...]] = {
    "event_at_time_t": (
        Wording("Which entity was the {relation} of {given} in {year}?"),
        Wording("In {year}, {given} was the {relation} of which entity?", asks="object"),
        Wording("Find the entity that evidently was the {relation} of {given} in year {year}."),
        Wording(
            "{given} was the {relation} of which one of the entities in {year}?", asks="object"
        ),
    ),
    "event_at_what_time": _for_each(
        ("start", "stop"),
        "At what time did {subject} {which} being the {relation} of {object}?",
        "At what time did the entity {subject} {which} being the {relation} of {object}?",
    ),
    "number_of_events_in_time_interval": (
        Wording(
            "Find the number of unique entities that were the {relation} of {given} between "
            "{first} to {last}. Relations that ended in {first} or started in {last} must be "
            "counted as well."
        ),
        Wording(
            "Between {first} to {last}, how many unique entities where the {relation} of {given}? "
            "Relations that ended in {first} or started in {last} should also be counted."
        ),
        Wording(
            "How many unique entities were the {relation} of {given} between {first} to {last}? "
            "Note: relations that ended in {first} or started in {last} must be counted as well."
        ),
    ),
    "before_after": _for_each(
        ("before", "after"),
        "Which entity was the {relation} of {given} immediately {which} {anchor}?",
        "Which entity was the {relation} of the entity {given} immediately {which} {anchor}?",
        "Find the entity that was the {relation} of {given} immediately {which} {anchor} was the "
        "{relation} of {given}.",
        "Immediately {which} {anchor}, which entity was the {relation} of {given}?",
    ),
    "event_at_the_time_of_another_event": (
        Wording(
            "At the start time of {subject} being the {anchor} of {object}, which entity was the "
            "{relation} of {given}?"
        ),
        Wording(
            "{given} was the {relation} of which entity at the time when {subject} started being "
            "the {anchor} of {object}?",
            asks="object",
        ),
        Wording(
            "When {subject} started being the {anchor} of {object}, which entity was the "
            "{relation} of {given}?"
        ),
    ),
    "first_last": _for_each(
        ("first", "last"),
        "Identify the entity that was the {which} {relation} of entity {given}.",
        "Which entity has been the {which} {relation} of {given}?",
        "Which entity was the {which} that was the {relation} of {given}?",
    ),
    "relation_duration": (
        Wording(
            "For how many years did it last when {subject} was the {relation} of {object} for the "
            "{nth} time? The duration can be computed by subtracting the start time from the end "
            "time."
        ),
        Wording(
            "The {nth} time it happened, for how many years was {subject} the {relation} of "
            "{object}?"
        ),
    ),
    "timeline": _for_each(
        ("start", "end"),
        "Which entities were the {relation} of {given}? Provide a comma-separated list sorted by "
        "{which} time from lowest to highest.",
        "Give me a comma-separated list of all entities that were the {relation} of {given} in the "
        "order of {which} time from lowest to highest.",
        "Find all entities that were the {relation} of {given} and list them separated by commas. "
        "Sort by {which} time ascending.",
    ),
}
"""All wordings of each question type."""
