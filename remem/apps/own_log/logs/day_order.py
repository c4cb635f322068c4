"""Which number of 04/02/2024 is the day: decided once for a whole file."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from remem.apps.own_log.logs.stamps import Stamp
from remem.temporal.dates import format_point


@dataclass(frozen=True, slots=True)
class DayOrder:
    """Whether the day comes first; `note` says so if the file did not decide it."""

    day_first: bool
    note: str = ""


def decide_order(stamps: Sequence[Stamp], named: bool | None = None) -> DayOrder:
    """Decide the order of day and month from all dates of a file.

    A number above 12 is a day. If that decides nothing, the order in which the dates never go back
    is taken. If both do equally well, it is a guess: month first with "/" and AM or PM, as in the
    United States, else day first.

    Args:
        stamps: The dates, in the order of the file.
        named: The order that the user named, True for day first; None to decide here.
    """
    loose = [stamp for stamp in stamps if not stamp.fixed and stamp.first != stamp.second]
    if named is not None or not loose:
        return DayOrder(named is not False)
    faults = {first: _faults(stamps, day_first=first) for first in (True, False)}
    if faults[True] != faults[False]:
        return DayOrder(faults[True] < faults[False])
    american = any(stamp.half_day and "/" in stamp.written for stamp in loose)
    return DayOrder(not american, _note(loose[0], day_first=not american))


def _faults(stamps: Sequence[Stamp], *, day_first: bool) -> tuple[int, int]:
    """Count the dates that no calendar has, then those that are earlier than the one before."""
    points = [stamp.point(day_first=day_first) for stamp in stamps]
    minutes = [point.first_minute for point in points if point is not None]
    back = sum(after < before for before, after in pairwise(minutes))
    return len(points) - len(minutes), back


def _note(stamp: Stamp, *, day_first: bool) -> str:
    other = "--month-first" if day_first else "--day-first"
    point = stamp.point(day_first=day_first)
    return (
        f"day and month are a guess: {stamp.written!r} was read as "
        f"{format_point(point) if point else 'no date'}, and nothing in the file decides it; "
        f"if it is wrong, use {other}"
    )
