"""Find answers whose reader was given a current date that is before the end of the history."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from remem.apps.referee.imports.census import RIGHT_FROM
from remem.apps.referee.imports.matched import MatchedAnswer, MatchedAnswers
from remem.temporal.dates import find_dates, parse_point
from remem.time_scope import TimePoint
from remem.types import History


@dataclass(frozen=True, slots=True)
class PresentDay:
    """A wrong present day: readers were given this day, but the history ends on a later day.

    Attributes:
        told: The day that the reader was given.
        last: The last day of the history.
        session: The session that comes last when session names are sorted as text, if it is of the
            day `told`; otherwise "".
        answers: The number of answers whose reader was given this day.
        wrong: The number of wrong answers among these.
        naming: The ids of the wrong answers whose text or reasoning names this day.
        category: The category with the most answers in `naming`, as the file names it.
        wrong_of_category: The number of wrong answers of this category.
        naming_of_category: The number of wrong answers of this category that name the day `told`.
    """

    told: date
    last: date
    session: str
    answers: int
    wrong: int
    naming: tuple[str, ...]
    category: str
    wrong_of_category: int
    naming_of_category: int


def present_days(run: MatchedAnswers) -> Iterator[PresentDay]:
    """Yield the wrong present days of a run, separately for each history."""
    if run.known is None:
        return
    histories = {history.id: history for history in run.known.histories}
    stated: defaultdict[tuple[str, date], list[MatchedAnswer]] = defaultdict(list)
    for answer in run.answers:
        day = _day_of(answer.answer.today)
        if day is not None and answer.of_data_set:
            stated[answer.question.query.history_id, day].append(answer)
    judge = run.imported.base or run.imported.main
    for (name, day), answers in stated.items():
        last = max((message_day for message_day in _days(histories[name]).values()), default=None)
        if last is not None and day < last:
            yield _present_day(day, last, _last_as_text(histories[name], day), answers, judge)


def _present_day(
    day: date, last: date, session: str, answers: list[MatchedAnswer], judge: str
) -> PresentDay:
    wrong = [answer for answer in answers if answer.answer.verdicts.get(judge, 1) < RIGHT_FROM]
    naming = [answer for answer in wrong if _names(answer, day)]
    by_category = Counter(answer.answer.category for answer in naming)
    category = min(by_category, key=lambda name: (-by_category[name], name), default="")
    return PresentDay(
        day,
        last,
        session,
        len(answers),
        len(wrong),
        tuple(answer.id for answer in naming),
        category,
        sum(answer.answer.category == category for answer in wrong),
        by_category[category],
    )


def _names(answer: MatchedAnswer, day: date) -> bool:
    words = f"{answer.answer.reasoning}\n{answer.answer.answer or ''}"
    return any(_date(point) == day for _, _, point in find_dates(words))


def _days(history: History) -> dict[str, date]:
    """Return the last day of each session, without the sessions that have no dates."""
    days = {}
    for episode in history.episodes:
        known = [day for each in episode.messages if each.time and (day := _date(each.time))]
        if known:
            days[episode.id] = max(known)
    return days


def _last_as_text(history: History, day: date) -> str:
    """Return the session that is the last by the text order of names, if it is of this day."""
    days = _days(history)
    last = max(days, default="")
    return last if days.get(last) == day else ""


def _day_of(stated: str) -> date | None:
    """Return the day of a date as a file states it; None if it cannot be read."""
    if not stated:
        return None
    try:
        return datetime.fromisoformat(stated).date()
    except ValueError:
        point = parse_point(stated)
        return None if point is None else _date(point)


def _date(point: TimePoint) -> date | None:
    if point.month is None or point.day is None:
        return None
    return date(point.year, point.month, point.day)
