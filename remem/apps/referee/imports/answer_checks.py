"""Check published answers: what is missing, and what the readers were given."""

from collections import Counter
from collections.abc import Iterator

from remem.apps.referee.imports.census import RIGHT_FROM, has_words, is_leaked
from remem.apps.referee.imports.checked_runs import Check, CheckedRuns, Finding
from remem.apps.referee.imports.matched import MatchedAnswer
from remem.apps.referee.imports.present_days import present_days
from remem.temporal.dates import find_dates
from remem.types import History

LEAST_CUT, LEAST_EQUAL, EQUAL_SHARE = 80, 10, 0.02
"""Answers are cut off at a length of at least LEAST_CUT characters if at least LEAST_EQUAL of them,
and at least the share EQUAL_SHARE of all, have this length."""


def other_golds(checked: CheckedRuns) -> Iterator[Finding]:
    """Find the questions whose gold answer in the file differs from that of the data set."""
    for run in checked.runs:
        ids = tuple(answer.id for answer in run.answers if answer.gold_differs)
        if ids:
            yield Finding(
                "other gold answers",
                f"{run.imported.label}: {len(ids)} gold answers are not those of the data set",
                len(ids),
                len(run.answers),
                ids,
            )


def scored_without_an_answer(checked: CheckedRuns) -> Iterator[Finding]:
    """Count the errors and empty answers that have a verdict."""
    for run in checked.runs:
        empty = [
            answer
            for answer in run.answers
            if answer.answer.verdicts and not has_words(answer.answer.answer or "")
        ]
        right = sum(max(answer.answer.verdicts.values()) >= RIGHT_FROM for answer in empty)
        if empty:
            yield Finding(
                "errors and empty answers with a verdict",
                f"{run.imported.label}: {len(empty)} errors or empty answers have a verdict, and "
                f"{right} of them count as right",
                len(empty),
                len(run.answers),
                tuple(answer.id for answer in empty),
            )


def cut_off(checked: CheckedRuns) -> Iterator[Finding]:
    """Find answers that a file has truncated: many have the same length, and none is longer."""
    for run in checked.runs:
        lengths = {answer.id: len(answer.answer.answer or "") for answer in run.answers}
        longest = max(lengths.values())
        ids = tuple(name for name, length in lengths.items() if length == longest)
        if longest >= LEAST_CUT and len(ids) >= max(LEAST_EQUAL, EQUAL_SHARE * len(lengths)):
            yield Finding(
                "answers that are cut off",
                f"{run.imported.label}: {len(ids)} answers have {longest} characters, and none "
                f"has more: the file cuts them off, so our scores see less than the judge did",
                len(ids),
                len(lengths),
                ids,
            )


def undated_contexts(checked: CheckedRuns) -> Iterator[Finding]:
    """Count the contexts without any date, although the messages of the data set have dates."""
    for run in checked.runs:
        contexts = [(answer.id, answer.answer.context) for answer in run.answers]
        stated = [(name, context) for name, context in contexts if context]
        undated = tuple(name for name, context in stated if not find_dates(context))
        if undated and run.known is not None:
            yield Finding(
                "contexts without dates",
                f"{run.imported.label}: {len(undated)} of {len(stated)} contexts have no date with "
                f"day, month and year",
                len(undated),
                len(stated),
                undated,
            )


def wrong_present_days(checked: CheckedRuns) -> Iterator[Finding]:
    """Find wrong present days that readers were given, and the wrong answers that name them."""
    for run in checked.runs:
        for day in present_days(run):
            text_order = (
                f"; it is the day of {day.session}, the last session if their names are sorted as "
                f"text"
                if day.session
                else ""
            )
            yield Finding(
                "present day",
                f"{run.imported.label}: the reader was told that today is {day.told}, but the "
                f"history ends on {day.last} ({day.answers} answers){text_order}; "
                f"{len(day.naming)} of {day.wrong} wrong answers name that day, most of category "
                f"{day.category!r}: {day.naming_of_category} of {day.wrong_of_category}",
                len(day.naming),
                day.wrong,
                day.naming,
            )


def retrieved_elsewhere(checked: CheckedRuns) -> Iterator[Finding]:
    """Count the retrieved items that are not from the history of the question."""
    outside: Counter[str] = Counter()
    total: Counter[str] = Counter()
    ids = set()
    for run in checked.runs:
        histories = {} if run.known is None else {each.id: each for each in run.known.histories}
        for answer in run.answers:
            history = histories.get(answer.question.query.history_id)
            if history is not None and answer.answer.retrieved:
                elsewhere = _outside(answer, history)
                total[run.imported.system] += len(answer.answer.retrieved)
                outside[run.imported.system] += elsewhere
                ids |= {answer.id} if elsewhere else set()
    if outside.total():
        most = max(outside, key=lambda system: (outside[system] / total[system], system))
        yield Finding(
            "retrieved from elsewhere",
            f"{checked.format}: {outside.total():,} of {total.total():,} retrieved items are not "
            f"from the history of the question, such as sessions later than the question; most of "
            f"them are from {most}: {outside[most]:,} of {total[most]:,}",
            outside.total(),
            total.total(),
            tuple(sorted(ids)),
        )


def _outside(matched: MatchedAnswer, history: History) -> int:
    """Count the retrieved items with a message or session that the history does not have."""
    sessions = {episode.id for episode in history.episodes}
    messages = {message.id for message in history.messages()}
    return sum(
        not (messages.issuperset(item.messages) and sessions.issuperset(item.sessions))
        for item in matched.answer.retrieved or ()
    )


def leaks(checked: CheckedRuns) -> Iterator[Finding]:
    """Find the questions whose gold answer was leaked to the reader (`is_leaked`)."""
    ids = tuple(
        dict.fromkeys(
            answer.id for run in checked.runs for answer in run.answers if is_leaked(answer)
        )
    )
    answered_ids = {answer.id for run in checked.runs for answer in run.answers}
    if ids:
        yield Finding(
            "leaked gold answers",
            f"{checked.format}: {len(ids)} of {len(answered_ids)} gold answers are in the "
            f"question itself (as a choice is), in the prompt, or in a context that quotes the "
            f"answer",
            len(ids),
            len(answered_ids),
            ids,
        )


ANSWER_CHECKS: tuple[Check, ...] = (
    cut_off,
    other_golds,
    scored_without_an_answer,
    undated_contexts,
    wrong_present_days,
    retrieved_elsewhere,
    leaks,
)
