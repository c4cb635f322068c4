"""The extractor without a language model (paper, Indexing, steps 1 and 2): rules only.

A chat message becomes one dated gist with its relative dates resolved, and no facts. A Complex-TR
statement becomes a gist and a fact. A Test of Time statement becomes only a fact, because the
paper's table of graph properties shows no gists for Test of Time. Any other statement becomes a
gist, so that nothing is lost.
"""

from remem.temporal.dates import find_dates, format_point
from remem.temporal.statements import (
    Statement,
    parse_complex_tr_statement,
    parse_tot_statement,
)
from remem.temporal.times_in_text import annotated, times_in
from remem.time_scope import TimeScope
from remem.types import Episode, Extraction, Fact, Gist, Message


class RulesExtractor:
    """Extracts dated gists from messages and facts from templated statements."""

    def extract(self, episode: Episode) -> Extraction:
        """Extract a gist, a fact or both from each message."""
        items = [item for message in episode.messages for item in _items(message)]
        return Extraction(
            gists=tuple(item for item in items if isinstance(item, Gist)),
            facts=tuple(item for item in items if isinstance(item, Fact)),
        )


def _items(message: Message) -> tuple[Gist | Fact, ...]:
    if message.speaker:
        return (_gist_of_chat(message),)
    tot_statement = parse_tot_statement(message.text)
    if tot_statement is not None:
        return (_fact(tot_statement, message),)
    complex_tr_statement = parse_complex_tr_statement(message.text)
    if complex_tr_statement is not None:
        return (
            _gist(message, message.text.strip(), _scope(complex_tr_statement)),
            _fact(complex_tr_statement, message),
        )
    text = " ".join(message.text.split())
    return (_gist(message, text, _stated_scope(text) or _said_at(message)),)


def _gist_of_chat(message: Message) -> Gist:
    """Return the gist `[time] speaker: text`, with the meaning after each relative date.

    Its scope is the only time that it names, or else the day it was said. If it names a time that
    could not be read, and no other, it has no scope: the day it was said would be a guess.
    """
    text = " ".join(message.text.split())
    times = times_in(text, message.time)
    scopes = {time.scope for time in times if time.scope}
    said_at = None if times and not scopes else _said_at(message)
    day = format_point(message.time) if message.time else message.date
    return _gist(
        message,
        f"{f'[{day}] ' if day else ''}{message.speaker}: {annotated(text, message.time)}",
        scopes.pop() if len(scopes) == 1 else said_at,
    )


def _gist(message: Message, text: str, time: TimeScope | None) -> Gist:
    return Gist(id="", text=text, time=time, episode_id="", source=(message.id,))


def _fact(statement: Statement, message: Message) -> Fact:
    return Fact(
        id="",
        subject=statement.subject,
        predicate=statement.predicate,
        object=statement.object,
        time=_scope(statement),
        episode_id="",
        source=(message.id,),
        record_time=message.time,
    )


def _scope(statement: Statement) -> TimeScope:
    return TimeScope(start_time=statement.start, end_time=statement.end)


def _stated_scope(text: str) -> TimeScope | None:
    """Return the only date or "A to B" in the text, or None."""
    dates = find_dates(text)
    if len(dates) == 1:
        return TimeScope(dates[0][2])
    if len(dates) == 2 and text[dates[0][1] : dates[1][0]] == " to ":
        return TimeScope(start_time=dates[0][2], end_time=dates[1][2])
    return None


def _said_at(message: Message) -> TimeScope | None:
    return TimeScope(message.time) if message.time else None
