"""Times that have a name or a number: weekdays, days of a month, months, seasons, holidays."""

from remem.temporal import spans
from remem.temporal.recurring import Kind, Recurring, day_of_month, weekday, yearly
from remem.temporal.time_tokens import APOSTROPHES, LONG, SHORT, Tokens, is_long, is_short
from remem.temporal.time_values import NO_TIME, UNREAD, Range, Read
from remem.temporal.time_words import (
    BOUNDS,
    DAY_PARTS,
    DECADES,
    HOLIDAY_WORDS,
    HOLIDAYS,
    JOINS,
    MONTH_NUMBERS,
    ON,
    ORDINALS,
    POSSESSIVES,
    TURNS,
    WEEKDAY_NUMBERS,
)

_MONTHS, _DAYS, _CENTURY = 12, 31, 100
_FIRST_DECADE = 30
"""The first decade that two digits name: "the 30s"; "the 20s" may be of this century."""
_AFTER_NTH = frozenset(
    {"", ",", ".", "!", "?", ";", ":", ")", "(", "-", "\u2013", "at", "and", "but", "for", "to"}
    | {"so", "because", "is", "was", "works", "if", "then", "with", "in", "or", "as", "until"}
)
"""What may follow "the 5th"; a noun would be what is counted."""


class NamedTimes(Tokens):
    """Reads times that have a name or a number."""

    def named(self, at: int, *, bare: bool) -> Read | None:
        """Read a named time and its year; `bare` allows names that otherwise need a preposition."""
        read = (
            self.days_of_month(at) or self.holiday(at, bare=bare) or self.decade(at)
            or self.quarter(at) or self.season(at, bare=bare) or self.month(at, bare=bare)
            or self.nth_day(at) or self.weekday(at)
        )  # fmt: skip
        year = self.year_after(read.end) if read else None
        if read is None or year is None:
            return read
        if isinstance(read.value, Recurring) and read.value.of_year:
            return Read(read.value.of_year(year[0]), year[1])
        ends = [read.value.first, read.value.last] if isinstance(read.value, Range) else []
        days = [end.of_year(year[0]) for end in ends if isinstance(end, Recurring) and end.of_year]
        return Read(Range(*days), year[1]) if days else read

    def weekday(self, at: int) -> Read | None:
        """Read "Friday", "Fri" and "Friday night"."""
        word, after = self.word(at), self.word(at + 1)
        if word not in WEEKDAY_NUMBERS:
            return None
        is_short_form = len(word) <= len("sun")
        led = self.word(at - 1) in {*ON, *BOUNDS, *TURNS}
        stands_alone = not after.isalpha() or after in DAY_PARTS
        if is_short_form and not (led or (self.has_capital(at) and (at or stands_alone))):
            return None  # "Sun is out"
        if after in {"best", "school"}:
            return None
        if after in {f"{part}s" for part in DAY_PARTS}:  # "on Monday nights"
            return Read(NO_TIME, at + 2)
        end = at + 1 + (after == "." and is_short_form and self.joined(at))
        return Read(weekday(WEEKDAY_NUMBERS[word]), end + (self.word(end) in DAY_PARTS))

    def days_of_month(self, at: int) -> Read | None:
        """Read "14 June", "June 14th", "the first of June", and "5 to 12 June"."""
        at = self.skip(at, "the")
        if self.is_month(at):
            month, start = MONTH_NUMBERS[self.word(at)], self.skip(at + 1, ".", "the")
            days = self._day_numbers(start)
            if days is None or (self.word(at - 1) == "in" and days[2] == start + 1):
                return None  # "in May 5 people came"
            first, last, end = days
        else:
            days = self._day_numbers(at)
            place = self.skip(days[2], "of") if days else at
            if days is None or not self.is_month(place, beside_number=True):
                return None
            first, last, month = days[0], days[1], MONTH_NUMBERS[self.word(place)]
            end = place + 1 + self._is_dotted(place)
        if first > last:
            return Read(UNREAD, end)
        ends = [_day_of_year(month, number) for number in (first, last)]
        return Read(ends[0] if first == last else Range(*ends), end)

    def nth(self, at: int) -> Read | None:
        """Read "5th"."""
        day = self._day_number(at)
        if day is None or day[1] != at + 2 or self.is_month(day[1], beside_number=True):
            return None
        return Read(day_of_month(day[0]), day[1])

    def nth_day(self, at: int) -> Read | None:
        """Read "the 5th" and "the 5th of next month", but not "the 5th time"."""
        start = self.skip(at, "the")
        read, day = self.nth(start), self._day_number(start)
        if read is None or day is None:
            return None
        turn = self.word(read.end + 1)
        of_a_month = self.word(read.end) in {"of", "in"} and turn in {*TURNS, "the"}
        if of_a_month and self.word(read.end + 2) == "month":
            first = self.shifted("month", TURNS.get(turn, 0)).first_day
            return Read(spans.days_of_month(first.year, first.month, day[0], day[0]), read.end + 3)
        led = start > at or self.word(at - 1) in {*ON, *BOUNDS, "from", "to"}
        return read if led and self.word(read.end) in _AFTER_NTH else None

    def month(self, at: int, *, bare: bool) -> Read | None:
        """Read "June" after a preposition, before its year, or in "my June trip"."""
        if not self.is_month(at):
            return None
        end = at + 1 + self._is_dotted(at)
        after = self.word(end)
        is_attribute = self.word(at - 1) in {*POSSESSIVES, "the"} and self.has_capital(at)
        is_attribute = is_attribute and after.isalpha() and after != "of"
        if not (bare or is_attribute or self.year_after(end)):
            return None
        if is_short(after) and self._day_number(end):
            return None
        number = MONTH_NUMBERS[self.word(at)]
        return Read(yearly(lambda year: spans.in_month(year, number)), end)

    def season(self, at: int, *, bare: bool) -> Read | None:
        """Read "the summer of 2019" and "winter 2022/23"; "in summer" is every summer."""
        start = self.skip(at, "the")
        name, end = self.word(start), start + 1
        if name not in spans.SEASONS:
            return None
        first = self.skip(end, "of")
        if name == "winter" and is_long(self.word(first)) and self.word(first + 1) in "/-\u2013":
            year, second = int(self.word(first)), self.word(first + 2)
            if second in {str(year + 1), str(year + 1)[2:]}:
                return Read(spans.in_season(year, name), first + 3)
        has_year = self.year_after(end) is not None
        if not (bare or has_year):
            return None
        every = start == at and self.word(at - 1) in {"in", "during"} and not has_year
        kind: Kind = "every" if every else "period"
        return Read(yearly(lambda year: spans.in_season(year, name), kind), end)

    def holiday(self, at: int, *, bare: bool) -> Read | None:
        """Read "Christmas Eve", and "Christmas" after a preposition or if no word follows."""
        start = self.skip(at, "the", *POSSESSIVES)
        for length in range(HOLIDAY_WORDS, 0, -1):
            name = " ".join(self.words(start, length)).replace("\u2019", "'")
            if name in HOLIDAYS:
                end = start + length
                if name == "new year" and start > at and self.word(at - 1) == "in":
                    return Read(UNREAD, end)
                is_last = not self.word(end).isalpha()
                is_wish = self.word(start - 1) in {"merry", "happy"}
                is_day = length > 1 or name in {"halloween", "thanksgiving", "nye"}
                if not (bare or is_day or self.year_after(end) or (is_last and not is_wish)):
                    return None
                return Read(_holiday(name), end)
        return None

    def decade(self, at: int, *, article: bool = False) -> Read | None:
        """Read "the 1990s", "the '90s", "the nineties"; `article` says whether "the" precedes."""
        start = self.skip(at, "the")
        article = article or start > at
        start = self.skip(start, *APOSTROPHES)
        word, end = self.word(start), start + 1
        if article and word in DECADES:
            return Read(spans.in_decade(DECADES[word]), end)
        plural = self.word(end) in {"s", "'s", "\u2019s"} and self.joined(start)
        if not (word.isdecimal() and plural and int(word) % 10 == 0):
            return None
        is_decade = int(word) % _CENTURY or word == "2000"  # "the 1900s" may be a century
        if len(word) == LONG:
            return Read(spans.in_decade(int(word)) if is_decade else UNREAD, end + 1)
        if not article or len(word) != SHORT:
            return None
        is_past = int(word) >= _FIRST_DECADE
        return Read(spans.in_decade(1900 + int(word)) if is_past else UNREAD, end + 1)

    def quarter(self, at: int) -> Read | None:
        """Read "Q3 2023", "2023-Q3", "H1 2023" and "the second half of 2023"."""
        named = self.skip(at + 1, "-")
        if is_long(self.word(at)) and self.word(named) in {"q", "h"}:
            read = self.quarter(named)
            is_named = read and isinstance(read.value, Recurring) and read.value.of_year
            return Read(is_named(int(self.word(at))), read.end) if read and is_named else None
        start = self.skip(at, "the")
        size = {"q": 3, "h": 6}.get(self.word(start)) if self.joined(start) else None
        number, end = self.word(start + 1), start + 2
        if size is None:
            size = {"quarter": 3, "half": 6}.get(number)
            which = ORDINALS.get(self.word(start), 0)
            if size is None or self.word(end) not in {"of", "in", ","}:
                return None
            number = str(which if which >= 0 else _MONTHS // size)
        if not is_short(number) or not 1 <= int(number) <= _MONTHS // size:
            return None
        quarter, months = int(number), size
        return Read(yearly(lambda year: spans.months_of_year(year, quarter, months)), end)

    def numeric(self, at: int) -> Read | None:
        """Read "31/5", "31/5/2023" and "11/2024", but not "5/7", which could be in May or July."""
        start = self.skip(at, "on", "by", "for")
        mark, ends = self.word(start + 1), (self.word(start), self.word(start + 2))
        if mark not in {"/", ".", "-"} or not (self.joined(start) and self.joined(start + 1)):
            return None
        if start and self.joined(start - 1) and not self.word(start - 1).isalpha():
            return None
        if mark == "/" and is_short(ends[0]) and is_long(ends[1]):
            is_month = 1 <= int(ends[0]) <= _MONTHS
            return Read(spans.in_month(int(ends[1]), int(ends[0])), start + 3) if is_month else None
        if not all(map(is_short, ends)):
            return None
        year = self.word(start + 4) if self.joined(start + 2, mark) else ""
        has_year = year.isdecimal() and len(year) in {SHORT, LONG}
        dotted = mark == "." and self.joined(start + 2, ".")
        led = start > at or self.word(start - 1) in {*BOUNDS, "to", "due", "from", "the", "-"}
        if not has_year and not dotted and (mark != "/" or not led):
            return None
        return self._in_order(
            ends, year if has_year else "", start + (5 if has_year else 3 + dotted), mark
        )

    def _in_order(self, ends: tuple[str, str], year: str, end: int, mark: str) -> Read | None:
        """Read a day and month; the day is the number above 12, or the first one in "31.5."."""
        day, month = int(ends[0]), int(ends[1])
        if month > _MONTHS:
            day, month = month, day
        is_certain = mark == "." or day > _MONTHS or day == month
        if not (1 <= month <= _MONTHS and 1 <= day <= _DAYS):
            return None
        if not is_certain:
            return Read(UNREAD, end)
        if not year:
            return Read(_day_of_year(month, day), end)
        return Read(spans.days_of_month(self.whole_year(year), month, day, day), end)

    def is_month(self, at: int, *, beside_number: bool = False) -> bool:
        """Return whether a token is the name of a month, and not a verb such as "may"."""
        word, before = self.word(at), self.word(at - 1)
        if word not in MONTH_NUMBERS:
            return False
        if beside_number or self.has_capital(at) or before in {*ON, *BOUNDS, *TURNS, *JOINS}:
            return True
        return before in {"early", "late", "mid"} or word not in {"may", "mar", "march", "dec"}

    def _is_dotted(self, at: int) -> bool:
        """Return whether a month is abbreviated with a dot: "Sept."."""
        return self.joined(at, ".") and len(self.word(at)) <= len("sept") and self._has_more(at)

    def _has_more(self, at: int) -> bool:
        return at + 2 < len(self.tokens) and self.word(at) not in {"may", "june", "july"}

    def _day_numbers(self, at: int) -> tuple[int, int, int] | None:
        """Return the first and the last day of "5" or "5 to 12", and the place after it."""
        first = self._day_number(at)
        if first is None:
            return None
        number, end = first
        join = self.word(end)
        second = self._day_number(end + 1) if join in {*JOINS, "and", "&"} else None
        if second is not None:
            is_range = join in JOINS or self.word(at - 1) == "between"
            if is_range or second[0] == number + 1:
                return number, *second
        return number, number, end

    def _day_number(self, at: int) -> tuple[int, int] | None:
        """Return the day of "5", "5th" or "fifth", and the place after it."""
        word, end = self.word(at), at + 1
        if ORDINALS.get(word, 0) > 0:
            return ORDINALS[word], end
        if not is_short(word) or not 1 <= int(word) <= _DAYS:
            return None
        if self.joined(at - 1) and self.word(at - 1) in {".", ":", "/"}:
            return None
        if self.joined(at) and self.word(end) in {"st", "nd", "rd", "th"}:
            return int(word), end + 1
        is_clock = self.joined(at, ":") and self.joined(end) and self.word(end + 1).isdecimal()
        is_part = is_clock or (self.joined(at) and self.word(end).isalpha())
        return None if is_part and self.word(end) not in MONTH_NUMBERS else (int(word), end)


def _holiday(name: str) -> Recurring:
    rule = HOLIDAYS[name]
    return yearly(lambda year: spans.on_day(rule(year)), "day")


def _day_of_year(month: int, day: int) -> Recurring:
    spans.days_of_month(2000, month, day, day)  # raises an error if no month has it
    return yearly(lambda year: spans.days_of_month(year, month, day, day), "day")
