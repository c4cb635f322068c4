"""The English words for times: numbers, weekdays, months, parts of a period, and holidays."""

from collections.abc import Callable
from datetime import date, timedelta

from dateutil.easter import easter

from remem.temporal.dates import MONTHS, WEEKDAYS
from remem.temporal.spans import ONES, SEASONS

_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
TENS = {word: 10 * tens for tens, word in enumerate(_TENS, start=2)}
NUMBERS = {word: number for number, word in enumerate(ONES, 1)} | TENS | {"dozen": 12}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINALS = {
    **{word: number for number, word in enumerate((*_ORDINALS, "tenth"), 1)},
    **{word: number for number, word in enumerate(("1st", "2nd", "3rd", "4th", "5th"), 1)},
    "last": -1,
}
"""Which one of a month is meant; -1 is the last one."""
WEEKDAY_NUMBERS = {
    **{name.lower(): index for index, name in enumerate(WEEKDAYS)},
    **{name[:3].lower(): index for index, name in enumerate(WEEKDAYS)},
    **{"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
}
MONTH_NUMBERS = {
    **{name.lower(): number for number, name in enumerate(MONTHS, 1)},
    **{name[:3].lower(): number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
UNITS = {
    "day": "day", "days": "day", "night": "day", "nights": "day", "week": "week", "weeks": "week",
    "wk": "week", "wks": "week", "weekend": "weekend", "weekends": "weekend", "wknd": "weekend",
    "month": "month", "quarter": "quarter",
    "months": "month", "year": "year", "years": "year", "yr": "year", "yrs": "year",
}  # fmt: skip
TURNS = {"last": -1, "this": 0, "next": 1}
ON = frozenset({"on", "in", "at", "over", "during", "for", "around", "about", "by"})
"""Prepositions of a time that do not change it."""
BOUNDS = {
    "since": "since", "until": "until", "till": "until", "til": "until", "through": "until",
    "before": "before", "after": "after",
}  # fmt: skip
"""Prepositions that leave one end open, with what they mean."""
JOINS = frozenset({"to", "until", "till", "through", "thru", "-", "\u2013", "\u2014", "/"})
"""The words between the ends of a range."""
MOVES = frozenset(
    {"moved", "changed", "rescheduled", "postponed", "pushed", "switched", "delayed", "put"}
    | {"move", "change", "reschedule", "postpone", "push", "switch", "delay", "moving"}
)
"""Verbs after which "from A to B" is not a range, and "until" means "to"."""
POSSESSIVES = frozenset({"my", "our", "his", "her", "their", "your"})
PARTS = {"early": 0, "start": 0, "beginning": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
"""The words for a third of a period, with its number."""
PART_NAMES = {0: "early", 1: "mid", 2: "late"}
DAY_PARTS = frozenset(
    {"morning", "afternoon", "evening", "night", "lunchtime", "noon", "midday", "nite"}
)
FAR_DAYS = {
    tuple(words.split()): shift
    for words, shift in (
        ("the day before yesterday", -2), ("day before yesterday", -2), ("last night", -1),
        ("last nite", -1), ("the day after tomorrow", 2), ("day after tomorrow", 2),
        ("the night before last", -2),
        ("earlier today", 0), ("later today", 0), ("this morning", 0), ("this afternoon", 0),
        ("this evening", 0), ("this lunchtime", 0),
    )
}  # fmt: skip
"""Words for a day near the one on which they are said, with the distance in days."""
DAYS = {"today": 0, "tonight": 0, "tonite": 0, "tomorrow": 1, "tmrw": 1, "yesterday": -1}
VAGUE_COUNTS = frozenset({"few", "several", "many", "some", "couple"})
"""Words that count without a number; "couple" is read as two where nothing else is vague."""
DECADES = {
    "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990,
}  # fmt: skip


def _weekday_of(month: int, index: int, number: int) -> Callable[[int], date]:
    """Return a function from a year to the first (1) to fifth or last (-1) weekday of a month."""

    def rule(year: int) -> date:
        return nth_weekday(year, month, index, number)

    return rule


def nth_weekday(year: int, month: int, index: int, number: int) -> date:
    """Return the date of a weekday in a month: the first (1) to the fifth (5), or the last (-1).

    Weekday 0 is Monday.

    Raises:
        ValueError: The month has no fifth such weekday.
    """
    first = date(year, month, 1)
    day = first + timedelta(days=(index - first.weekday()) % 7 + 7 * (max(number, 1) - 1))
    if number < 0:
        after = date(year + month // 12, month % 12 + 1, 1)
        day = after - timedelta(days=(after.weekday() - index - 1) % 7 + 1)
    if day.month != month:
        raise ValueError(f"{first:%B %Y} does not have this weekday {number} times")
    return day


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _by_easter(days: int) -> Callable[[int], date]:
    return lambda year: easter(year) + timedelta(days=days)


_THANKSGIVING = _weekday_of(11, 3, 4)
HOLIDAYS: dict[str, Callable[[int], date]] = {
    **dict.fromkeys(("christmas", "christmas day", "xmas", "xmas day"), _fixed(12, 25)),
    **dict.fromkeys(("christmas eve", "xmas eve"), _fixed(12, 24)),
    "boxing day": _fixed(12, 26),
    **dict.fromkeys(("new year 's eve", "new years eve", "nye", "hogmanay"), _fixed(12, 31)),
    **dict.fromkeys(("new year 's day", "new years day", "new year 's", "new year"), _fixed(1, 1)),
    **dict.fromkeys(
        ("valentine 's day", "valentine 's", "valentines day", "valentines"), _fixed(2, 14)
    ),
    **dict.fromkeys(
        ("st patrick 's day", "st . patrick 's day", "st patricks day", "paddy 's day"),
        _fixed(3, 17),
    ),
    **dict.fromkeys(("april fool 's day", "april fools day", "april fools"), _fixed(4, 1)),
    **dict.fromkeys(("independence day", "fourth of july"), _fixed(7, 4)),
    **dict.fromkeys(("halloween", "hallowe 'en"), _fixed(10, 31)),
    **dict.fromkeys(("bonfire night", "guy fawkes night"), _fixed(11, 5)),
    **dict.fromkeys(("thanksgiving", "thanksgiving day"), _THANKSGIVING),
    "black friday": lambda year: _THANKSGIVING(year) + timedelta(days=1),
    "labor day": _weekday_of(9, 0, 1),
    "memorial day": _weekday_of(5, 0, -1),
    **dict.fromkeys(("easter", "easter sunday", "easter day"), _by_easter(0)),
    "good friday": _by_easter(-2),
    "easter monday": _by_easter(1),
}
"""Holidays with a rule, of the United States where countries differ, by their words."""
HOLIDAY_WORDS = max(len(name.split()) for name in HOLIDAYS)
_HOLIDAY_WORDS = {word for name in HOLIDAYS for word in name.split()} - {"new", "st", "eve", "good"}
CORES = frozenset(
    {*WEEKDAY_NUMBERS, *MONTH_NUMBERS, *SEASONS, *UNITS, *DAYS, *DECADES, *DAY_PARTS}
    | {"ago", "fortnight", "nye", "now", "then", "while", "someday", "decade", "decades", "q", "h"}
    | {f"{name}s" for name in (*WEEKDAY_NUMBERS, *SEASONS)}
    | (_HOLIDAY_WORDS - {"day", ".", "'s", "of", "black", "night", "fool", "patrick"})
)
"""Each time that is not a number contains at least one of these words."""
