"""Decide, once for an entire file, which number in a date such as 04/02/2024 is the day."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from remem.apps.own_log.logs.stamps import BUDDHIST, Stamp, is_buddhist
from remem.temporal.dates import format_point
from remem.time_scope import TimePoint

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class DayOrder:
    """How to read the dates of a file: whether the day comes first, and the offset of its years.

    `years_late` is subtracted from each year: 543 for the Buddhist calendar. `note` says what was
    guessed, or that the calendar is not the Gregorian one.
    """

    day_first: bool
    note: str = ""
    years_late: int = 0

    def point(self, stamp: Stamp) -> TimePoint | None:
        """Return the date of a stamp, read in this order; None if there is no such date."""
        return stamp.point(day_first=self.day_first, years_late=self.years_late)


def decide_order(
    dated: Sequence[tuple[str, Stamp]], named: bool | None = None, *, refuse: bool = False
) -> DayOrder:
    """Decide the order of day and month from all dates of a file.

    The order with fewer impossible dates is taken. In a tie, it is the order in which fewer dates
    are earlier than the date before them. In a second tie, the order is guessed: month first if a
    date has "/" and a time with AM or PM, as in the United States, else day first. If all years are
    from 2450 to 2650, they are read as years of the Buddhist calendar.

    Args:
        dated: The dates, each after its place in the file, in the order of the file.
        named: The order that the user chose, True for day first; None to decide from the dates.
        refuse: Whether to raise an error for dates that are impossible in the order, even if the
            user did not choose it.

    Raises:
        ValueError: Some dates are impossible in the order; the message says where the first few
            are.
    """
    stamps = [stamp for _, stamp in dated]
    buddhist = bool(stamps) and all(is_buddhist(stamp.year) for stamp in stamps)
    late, notes = (BUDDHIST, [_buddhist_note(stamps[0])]) if buddhist else (0, [])
    loose = [stamp for stamp in stamps if not stamp.fixed and stamp.first != stamp.second]
    day_first = named is not False
    if named is None and loose:
        orders = {first: DayOrder(first, years_late=late) for first in (True, False)}
        faults = {first: _faults(stamps, order) for first, order in orders.items()}
        american = any(stamp.half_day and "/" in stamp.written for stamp in loose)
        day_first = not american
        if faults[True] != faults[False]:
            day_first = faults[True] < faults[False]
        else:
            notes.append(_note(loose[0], orders[day_first]))
    order = DayOrder(day_first, "; ".join(notes), late)
    if named is not None or refuse:
        _refuse_impossible(dated, order, is_named=named is not None)
    return order


def _refuse_impossible(
    dated: Sequence[tuple[str, Stamp]], order: DayOrder, *, is_named: bool
) -> None:
    bad = [(place, stamp.written) for place, stamp in dated if order.point(stamp) is None]
    if not bad:
        return
    first, other = ("day", "month") if order.day_first else ("month", "day")
    shown = ", ".join(f"{place} ({written!r})" for place, written in bad[:_SHOWN])
    remedy = (
        f"leave out --{first}-first, or use --{other}-first"
        if is_named
        else f"the other dates have the {first} first: correct these "
        f"lines, or read them as a separate log"
    )
    raise ValueError(
        f"dates that are impossible with the {first} first: "
        f"{shown}{', ...' if len(bad) > _SHOWN else ''} "
        f"({len(bad)} of {len(dated)} dates); {remedy}"
    )


def _faults(stamps: Sequence[Stamp], order: DayOrder) -> tuple[int, int]:
    """Return the number of impossible dates, and of dates earlier than the date before them."""
    points = [order.point(stamp) for stamp in stamps]
    minutes = [point.first_minute for point in points if point is not None]
    back = sum(after < before for before, after in pairwise(minutes))
    return len(points) - len(minutes), back


def _note(stamp: Stamp, order: DayOrder) -> str:
    other = "--month-first" if order.day_first else "--day-first"
    point = order.point(stamp)
    return (
        f"day and month are a guess: {stamp.written!r} was read as "
        f"{format_point(point) if point else 'no date'}, and nothing in the file decides it; "
        f"if it is wrong, use {other}"
    )


def _buddhist_note(stamp: Stamp) -> str:
    return f"the years are Buddhist: {stamp.year} was read as {stamp.year - BUDDHIST}"
