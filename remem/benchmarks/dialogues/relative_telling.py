"""Relative time expressions as used in chats, each with the date it means.

Answers have the wording of LoCoMo. Only unambiguous expressions are used. For example, a speaker
says "last Friday" only from Monday to Friday, and "next Friday" only from Friday to Sunday.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
SMALL_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
FIRST_AFTERNOON_HOUR = 12
SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Telling:
    """A time expression, the answer that it gives, and the first and last day it can mean."""

    expression: str
    answer: str
    first: date
    last: date

    def months(self) -> tuple[str, ...]:
        """Return the possible months of the event, in the form "May 2023"."""
        first, last = (12 * day.year + day.month - 1 for day in (self.first, self.last))
        return tuple(month_answer(date(n // 12, n % 12 + 1, 1)) for n in range(first, last + 1))


def past_tellings(session: datetime) -> tuple[Telling, ...]:
    """Return the expressions that a session at this time can use for a past event."""
    today = session.date()
    monday = today - timedelta(days=today.weekday())
    tellings = [_on_day("yesterday", today, -1), _on_day("last night", today, -1)]
    if session.hour >= FIRST_AFTERNOON_HOUR:
        tellings.append(_on_day("this morning", today, 0))
    tellings += [_on_day(f"{word} days ago", today, -n) for n, word in SMALL_NUMBERS.items()]
    tellings += [
        _on_day(f"last {DAYS[weekday]}", monday, weekday - 7)
        for weekday in range(today.weekday(), 7)
    ]
    if today.weekday() < SATURDAY:
        weekend = _before("weekend", today, monday - timedelta(days=2), monday - timedelta(days=1))
        tellings.append(Telling("last weekend", *weekend))
    last_week = _before("week", today, today - timedelta(days=13), today - timedelta(days=1))
    tellings += [Telling("last week", *last_week), *_weeks_ago(today)]
    tellings += [_in_month("last month", today, -1), _in_month("two months ago", today, -2)]
    tellings.append(_in_year("last year", today.year - 1))
    return (*tellings, *(_in_year(f"in {today.year - n}", today.year - n) for n in (3, 4, 5)))


def plan_expressions(session: datetime) -> tuple[Telling, ...]:
    """Return the expressions that a session at this time can use for a planned event."""
    today = session.date()
    monday = today - timedelta(days=today.weekday())
    tellings = [_on_day("tomorrow", today, 1)]
    tellings += [_on_day(f"in {word} days", today, n) for n, word in SMALL_NUMBERS.items()]
    tellings += [
        _on_day(f"next {DAYS[weekday]}", monday, weekday + 7)
        for weekday in range(today.weekday() + 1)
    ]
    tellings += [
        _on_day(f"this {DAYS[weekday]}", monday, weekday)
        for weekday in range(today.weekday() + 1, 7)
    ]
    next_week = today + timedelta(days=1), today + timedelta(days=13)
    tellings.append(Telling("next week", f"the week after {day_answer(today)}", *next_week))
    return (*tellings, _in_month("next month", today, 1))


def day_answer(day: date) -> str:
    """Return a day as an answer: "7 May 2023"."""
    return f"{day.day} {month_answer(day)}"


def month_answer(day: date) -> str:
    """Return the month of a day as an answer: "May 2023"."""
    return f"{MONTHS[day.month - 1]} {day.year}"


def session_date(moment: datetime) -> str:
    """Return the start of a session in LoCoMo's form: "1:56 pm on 8 May, 2023"."""
    half = "am" if moment.hour < FIRST_AFTERNOON_HOUR else "pm"
    clock = f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d} {half}"
    return f"{clock} on {moment.day} {MONTHS[moment.month - 1]}, {moment.year}"


def _on_day(expression: str, origin: date, offset: int) -> Telling:
    day = origin + timedelta(days=offset)
    return Telling(expression, day_answer(day), day, day)


def _before(unit: str, today: date, first: date, last: date) -> tuple[str, date, date]:
    return f"the {unit} before {day_answer(today)}", first, last


def _weeks_ago(today: date) -> list[Telling]:
    return [
        Telling(
            f"{word} weeks ago",
            f"{word} weeks before {day_answer(today)}",
            today - timedelta(days=7 * n + 6),
            today - timedelta(days=7 * n - 6),
        )
        for n, word in SMALL_NUMBERS.items()
        if n <= 3
    ]


def _in_month(expression: str, today: date, offset: int) -> Telling:
    years, month = divmod(today.month - 1 + offset, 12)
    first = date(today.year + years, month + 1, 1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return Telling(expression, month_answer(first), first, last)


def _in_year(expression: str, year: int) -> Telling:
    return Telling(expression, str(year), date(year, 1, 1), date(year, 12, 31))
