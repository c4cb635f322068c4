"""The possible values of the words of a time; the clause around them decides the meaning later."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeGuard

from remem.temporal.recurring import Recurring
from remem.temporal.spans import Span

UNREAD: Literal["unread"] = "unread"
"""The words look like a time, and name no day of the calendar that is known here."""
NO_TIME: Literal["no time"] = "no time"
"""The words are a habit or a duration."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A span such as "in three weeks", which is a time only in a clause about the future."""

    span: Span


@dataclass(frozen=True, slots=True)
class Range:
    """The range from one time to another."""

    first: Span | Recurring
    last: Span | Recurring


@dataclass(frozen=True, slots=True)
class Bounded:
    """The time before, after, since, from or until another time."""

    bound: str
    value: Span | Recurring


Value = Span | Recurring | Coming | Range | Bounded | Literal["unread", "no time"]


class Read(NamedTuple):
    """A value, and the index of the token after the words it was read from."""

    value: Value
    end: int


def is_time(value: Value) -> TypeGuard[Span | Recurring]:
    """Return whether a value is a single time, which can be the first or last time of a range."""
    return isinstance(value, Span | Recurring)


def is_weekday(value: Value) -> TypeGuard[Recurring]:
    """Return whether a value is a weekday."""
    return isinstance(value, Recurring) and value.kind == "weekday"


def is_day(value: Value) -> TypeGuard[Span | Recurring]:
    """Return whether a value is one day."""
    if isinstance(value, Span):
        return value.is_day
    return isinstance(value, Recurring) and value.kind in {"weekday", "day"}
