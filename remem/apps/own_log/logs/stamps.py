"""Dates at the start of a line, as phones, programs and people write them.

In a date such as 04/02/2024, either number may be the day: both readings are kept until `day_order`
has seen the entire file.
"""

import re
from dataclasses import dataclass

from remem.time_scope import TimePoint

_MONTHS = (
    "january jan januar jän jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr febrero febbraio fevereiro fev februari",
    "march mar märz mrz mär mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août agosto ago augustus",
    "september sept sep septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)
_WEEKDAYS = (
    "monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat "
    "sunday sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sa sonnabend "
    "sonntag so lundi lun mardi mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes "
    "martes mié miércoles jueves jue viernes vie sábado sáb domingo dom lunedì martedì mercoledì "
    "giovedì gio venerdì sabato sab domenica segunda-feira terça-feira quarta-feira quinta-feira "
    "sexta-feira segunda terça quarta quinta sexta maandag ma dinsdag woensdag wo donderdag "
    "vrijdag vr zaterdag za zondag zo"
)

MONTH_NUMBERS = {
    name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()
}
"""The number of a month by its lower-case name, long or short."""
WEEKDAY_NAMES = frozenset(_WEEKDAYS.split())
"""Lower-case names of weekdays, long and short."""


MARKS = "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufeff"
"""Invisible marks that exports put around names, dates and notices."""
SPACE = r"[ \t\u00a0\u202f\u2009]"

_WORD = r"[^\W\d_]+"
_DATES = (
    rf"(?P<year>\d{{4}})(?:\.{SPACE}?|[-/]|{SPACE}?[年년]{SPACE}?)(?P<month>\d\d?)"
    rf"(?:\.{SPACE}?|[-/]|{SPACE}?[月월]{SPACE}?)(?P<day>\d\d?)(?:{SPACE}?[日일]|\.)?",
    rf"(?P<first>\d\d?)(?P<mark>[./-]){SPACE}?(?P<second>\d\d?)(?P=mark){SPACE}?"
    rf"(?P<loose_year>\d{{4}}|\d\d)(?:\.|{SPACE}?\u0433\.)?",
    rf"(?P<day>\d\d?)(?:st|nd|rd|th|er|º|ª)?\.?{SPACE}(?:of{SPACE}|de{SPACE})?(?P<name>{_WORD})"
    rf"\.?,?{SPACE}(?:del?{SPACE})?(?P<year>\d{{4}})",
    rf"(?P<name>{_WORD})\.?{SPACE}(?P<day>\d\d?)(?:st|nd|rd|th)?,?{SPACE}(?P<year>\d{{4}})",
)
_WEEKDAY = re.compile(rf"(?P<weekday>{_WORD}(?:-feira)?)\.?,?{SPACE}+(?:(?:the|den|le){SPACE}+)?")
_BEFORE_NOON, _AFTER_NOON = "上午|凌晨|清晨|早上|午前|오전", "下午|中午|晚上|午後|오후"
_CLOCK = (
    rf"(?:(?P<early>{_BEFORE_NOON})|(?P<late>{_AFTER_NOON}))?{SPACE}*"
    r"(?P<hour>\d\d?)(?P<colon>[:.h])(?P<minute>\d\d)(?:(?P=colon)\d\d(?:[.,]\d+)?)?"
    rf"(?:{SPACE}*(?P<half>[AaPp])\.?{SPACE}?[Mm]\b\.?|{SPACE}?ч\.)?"
    # Vietnamese, Arabic and Persian
    rf"(?:{SPACE}*(?:(?P<forenoon>SA|ص|صباحًا|ق\.ظ\.?)|(?P<afternoon>CH|م|مساءً|ب\.ظ\.?))"
    rf"(?=[,\u060c\]]|{SPACE}[-\u2013]))?"
    rf"(?:{SPACE}?(?:(?:Z|UTC|GMT)(?:[+-]\d\d:?\d\d)?|[+-]\d\d:?\d\d)(?![\w:]))?(?!\d)"
)
_JOIN = rf"(?:T|[,\u060c]|{SPACE})*(?:(?:at|um|à|às|a{SPACE}las|alle|klo|kl\.?|@){SPACE}+)?"
_STAMPS = tuple(
    re.compile(rf"(?P<date>{date})(?!\d)(?:{_JOIN}(?P<clock>{_CLOCK}))?") for date in _DATES
)
_CLOCK_FIRST = tuple(
    re.compile(rf"(?P<clock>{_CLOCK})[,\u060c]?{SPACE}+(?P<date>{date})(?!\d)")
    for date in _DATES[:2]
)
"""As Vietnamese phones write: 18:05, 13/02/2024."""
_HALF_A_DAY, _WHOLE_DAY = 12, 24
_TURN_OF_SHORT_YEARS = 70
BUDDHIST = 543
"""The years by which the Buddhist calendar, which Thai phones write, is ahead."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date at the start of a text, with its clock time if it has one.

    `half_day` says whether the time has AM or PM. `first` and `second` are the two numbers for day
    and month, in the order of the text. If `fixed` is set, `first` is known to be the month and
    `second` the day. `end` is the position where the date ends in the text.
    """

    written: str
    year: int
    first: int
    second: int
    fixed: bool
    minute: int | None
    half_day: bool
    end: int

    def point(self, *, day_first: bool, years_late: int = 0) -> TimePoint | None:
        """Read the date in the order that `day_first` states; return None if it is impossible."""
        month, day = (
            (self.first, self.second) if self.fixed or not day_first else (self.second, self.first)
        )
        try:
            return TimePoint(self.year - years_late, month, day, self.minute)
        except ValueError:
            return None


def find_stamp(text: str) -> Stamp | None:
    """Return the date at the start of a text, possibly after a weekday; None if there is none."""
    start = 0
    weekday = _WEEKDAY.match(text)
    if weekday and weekday["weekday"].lower() in WEEKDAY_NAMES:
        start = weekday.end()
    for form in _STAMPS:
        match = form.match(text, start)
        stamp = _stamp(match) if match else None
        if stamp is not None:
            return stamp
    for form in _CLOCK_FIRST:
        match = form.match(text, start)
        stamp = _stamp(match) if match else None
        if stamp is not None and stamp.minute is not None:
            return stamp
    return None


def _stamp(match: re.Match[str]) -> Stamp | None:
    parts = match.groupdict()
    minute = _minute(parts) if parts["clock"] else None
    end = match.end() if minute is not None else match.end("date")
    half = bool(parts["half"])
    written = match.string[:end].strip()
    if parts.get("first"):
        year = _whole_year(parts["loose_year"] or "")
        numbers = int(parts["first"] or 0), int(parts["second"] or 0)
        stamp = Stamp(written, year, *numbers, False, minute, half, end)
        return stamp if _is_readable(stamp) else None
    month = _month(parts)
    stamp = Stamp(
        written, int(parts["year"] or 0), month, int(parts["day"] or 0), True, minute, half, end
    )
    return stamp if _is_readable(stamp) else None


def is_buddhist(year: int) -> bool:
    """Tell whether a year is so late that it must belong to the Buddhist calendar."""
    return 2450 <= year <= 2650


def _is_readable(stamp: Stamp) -> bool:
    """Tell whether the date exists in some order of day and month, perhaps as a Buddhist date."""
    calendars = (0, BUDDHIST) if is_buddhist(stamp.year) else (0,)
    return any(
        stamp.point(day_first=first, years_late=late)
        for first in (True, False)
        for late in calendars
    )


def _month(parts: dict[str, str | None]) -> int:
    name = parts.get("name")
    return MONTH_NUMBERS.get(name.lower(), 0) if name else int(parts.get("month") or 0)


def _whole_year(digits: str) -> int:
    if len(digits) > 2:
        return int(digits)
    return int(digits) + (2000 if int(digits) < _TURN_OF_SHORT_YEARS else 1900)


def _minute(parts: dict[str, str | None]) -> int | None:
    """Return the minute of the day; None if there is no such time."""
    hour, minute = int(parts["hour"] or 0), int(parts["minute"] or 0)
    half = (parts["half"] or "").lower()
    late = half == "p" or parts["late"] or parts["afternoon"]
    if late or half or parts["early"] or parts["forenoon"]:
        if not 0 <= hour <= _HALF_A_DAY:
            return None
        hour = hour % 12 + (12 if late else 0)
    if hour >= _WHOLE_DAY or minute > 59:
        return None
    return hour * 60 + minute
