"""Summarise a log before questions are asked: its size, speakers, dates and gaps."""

from collections.abc import Iterator
from itertools import chain

from remem.apps.own_log.logs.log import Log
from remem.temporal.dates import MONTHS
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint


def preview(log: Log) -> str:
    """Return one line with the path, the format and the size of a log.

    The line ends, for example, with "20 messages, 2 speakers, 4 Feb - 3 Jun 2024, 0 undated".
    """
    times = [item.message.time for item in log.messages if item.message.time]
    speakers = {item.message.speaker for item in log.messages if item.message.speaker}
    parts = [
        _count(len(log.messages), "message"),
        _count(len(speakers), "speaker"),
        *([_span(times)] if times else []),
        f"{len(log.messages) - len(times)} undated",
    ]
    return f"{log.path} ({log.format}): {', '.join(parts)}"


def warnings(log: Log) -> tuple[str, ...]:
    """Return warnings for the user about undated messages and what was left out or guessed."""
    sentences = (each.sentences(str(log.path)) for each in log.accounts)
    notes = (*chain.from_iterable(sentences), *log.notes, *_unread_times(log))
    undated = [item.place for item in log.messages if item.message.time is None]
    if not undated:
        return notes
    missing = (
        f"{len(undated)} of {_count(len(log.messages), 'message')} "
        f"{'has' if len(undated) == 1 else 'have'} no date, the first at "
        f"{undated[0]}; questions about when something was cannot be answered from them. "
        "docs/apps/own_log/your_own_log.md lists the date formats that remem reads"
    )
    return (*notes, missing)


def _unread_times(log: Log) -> Iterator[str]:
    """Yield a warning if times in dated messages could not be read, such as "the other day"."""
    times = [
        (item.place, time)
        for item in log.messages
        if item.message.time
        for time in times_in(" ".join(item.message.text.split()), item.message.time)
    ]
    unread = [(place, time.expression) for place, time in times if time.span is None]
    if unread:
        place, expression = unread[0]
        yield (
            f"{len(unread)} of {_count(len(times), 'time')} named in messages could not be read, "
            f'the first at {place} ("{expression}"); they are shown as not read'
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _span(times: list[TimePoint]) -> str:
    first = min(times, key=lambda time: time.first_minute)
    last = max(times, key=lambda time: time.last_minute)
    if str(first)[:10] == str(last)[:10]:
        return _short(last, with_year=True)
    return f"{_short(first, with_year=first.year != last.year)} - {_short(last, with_year=True)}"


def _short(time: TimePoint, *, with_year: bool) -> str:
    month = MONTHS[time.month - 1][:3] if time.month else ""
    day = str(time.day) if time.day else ""
    year = str(time.year) if with_year or not month else ""
    return " ".join(part for part in (day, month, year) if part)
