"""The dates of a message with their places in its text, absolute ones and resolved ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from remem.memory.parsed_text import Token
from remem.temporal.dates import find_dates
from remem.temporal.relative_dates import resolve_relative
from remem.time_scope import TimePoint, TimeScope


@dataclass(frozen=True, slots=True)
class PlacedDate:
    """A date at text[start:end]."""

    start: int
    end: int
    scope: TimeScope

    def is_in(self, tokens: Sequence[Token]) -> bool:
        """Return whether one of the tokens belongs to the date."""
        return any(self.start <= token.start < self.end for token in tokens)


def placed_dates(text: str, said: TimePoint | None) -> tuple[PlacedDate, ...]:
    """Return the dates in a text that was said at a time."""
    relative = resolve_relative(text, said)
    return (
        *(PlacedDate(each.start, each.end, each.scope) for each in relative),
        *(PlacedDate(start, end, TimeScope(point)) for start, end, point in find_dates(text)),
    )
