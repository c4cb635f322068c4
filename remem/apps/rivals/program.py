"""The interface of a memory in another program, and the data exchanged with it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from remem.files.secret_values import without_secrets
from remem.passages import undated_line
from remem.time_scope import TimePoint
from remem.types import History, Message, Query

Unit = Literal["message", "session"]
Isolation = Literal["process", "namespace"]
"""How histories are separated: a process for each, or one process and a name for each."""


class ProgramError(RuntimeError):
    """A program crashed, timed out, refused a request or sent an unusable answer.

    `usable` says whether the connection can be used again.
    """

    def __init__(self, message: str, *, usable: bool = False) -> None:
        super().__init__(without_secrets(message))  # it quotes the program
        self.usable = usable


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a history that is stored with one request: a message or a session."""

    id: str
    session: str
    messages: tuple[Message, ...]

    @property
    def speaker(self) -> str:
        """Return the speaker of a single message; "" for a session, whose lines name speakers."""
        return self.messages[0].speaker if len(self.messages) == 1 else ""

    @property
    def text(self) -> str:
        """Return the text without dates; in a session, each line begins with its speaker."""
        if len(self.messages) == 1:
            return self.messages[0].text
        return "\n".join(map(undated_line, self.messages))

    @property
    def date(self) -> str:
        """Return the date of the first message as the dataset writes it; "" if it has none."""
        return self.messages[0].date

    @property
    def time(self) -> TimePoint | None:
        """Return the parsed date of the first message; None if it has none."""
        return self.messages[0].time


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of storing a piece: the number and ids of its items, or why it was `lost`."""

    items: int
    ids: tuple[str, ...] = ()
    lost: str = ""


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item that a program found; `source` has the ids of stored pieces or of stored items."""

    text: str
    id: str = ""
    time: TimePoint | None = None
    source: tuple[str, ...] = ()


class Connection(Protocol):
    """A connection to a program for one history."""

    @property
    def program(self) -> str:
        """Return the name and the version that the program states; "" if it states none."""

    def store(self, piece: Piece) -> Stored:
        """Store a piece.

        Raises:
            ProgramError: The program crashed, timed out or gave an invalid answer.
        """

    def search(self, query: Query, top_k: int) -> tuple[FoundItem, ...]:
        """Return what the program finds, best first.

        Raises:
            ProgramError: The program crashed, timed out, refused or gave an invalid answer.
        """

    def close(self) -> None:
        """End the program, unless other histories share it."""


Connect = Callable[[str], Connection]
"""Connects to the program for a history, given by its id."""


def pieces(history: History, unit: Unit) -> Iterator[Piece]:
    """Yield the pieces of a history in order."""
    for episode in history.episodes:
        if unit == "message":
            for message in episode.messages:
                yield Piece(message.id, episode.id, (message,))
        elif episode.messages:
            yield Piece(episode.id, episode.id, episode.messages)


def fields_of(piece: Piece, namespace: str) -> Mapping[str, str]:
    """Return the values of the placeholders in a request to store a piece."""
    return {
        "id": piece.id,
        "session": piece.session,
        "speaker": piece.speaker,
        "text": piece.text,
        "date": piece.date,
        "time": str(piece.time or ""),
        "namespace": namespace,
    }


def absolute_command(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command that works in any folder: paths that exist become absolute."""
    return tuple(
        str(Path(part).absolute()) if "/" in part and Path(part).exists() else part
        for part in command
    )
