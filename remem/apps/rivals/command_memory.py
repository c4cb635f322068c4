"""A memory that is the user's own program, which reads and writes lines of JSON.

docs/apps/rivals/rivals.md describes the format of the lines.

Only the command line or a trusted folder can name the program.
"""

import weakref
from collections.abc import Mapping, Sequence
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, Field

from remem.apps.rivals.program import (
    FoundItem,
    Isolation,
    Piece,
    ProgramError,
    Stored,
    Unit,
    absolute_command,
    fields_of,
)
from remem.apps.rivals.program_memory import LONGEST_REASON, ProgramMemory
from remem.apps.rivals.shared_program import SharedProgram
from remem.apps.rivals.worker_process import WorkerError, WorkerProcess
from remem.apps.rivals.worker_replies import (
    MOST_IDS,
    MOST_ITEMS,
    Counted,
    Id,
    Reason,
    WorkerReply,
    point,
)
from remem.errors import UsageError
from remem.time_scope import TimePoint
from remem.types import Query

PROTOCOL = 2
"""The version of the protocol, which the first line states."""

Ids = Annotated[tuple[Id, ...], Field(max_length=MOST_IDS)]


class Hello(WorkerReply):
    """The program's answer to the first line: its name and version."""

    name: Id
    version: Id = ""


class IndexedReply(WorkerReply):
    """The answer to a message: the number and ids of the items that the program stored."""

    stored: Counted = 0
    ids: Ids = ()
    error: Reason = ""


class ItemReply(WorkerReply):
    """A found item; `source` has the ids of its messages."""

    text: str
    id: Id = ""
    time: Annotated[TimePoint | None, BeforeValidator(point)] = None
    source: Ids = ()


class Recalled(WorkerReply):
    """The answer to a question: the found items, best first."""

    found: Annotated[tuple[ItemReply, ...], Field(max_length=MOST_ITEMS)] = ()
    error: Reason = ""


Answer = TypeVar("Answer", bound=WorkerReply)


class CommandProgram:
    """A running program that speaks the protocol.

    Args:
        label: The name of the program in errors.
        command: The program and its arguments.
        environment: Additional environment variables, in which {folder} becomes the program's
            folder.
        timeout_seconds: The maximum time to wait for an answer.
    """

    def __init__(
        self,
        label: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        timeout_seconds: float,
    ) -> None:
        folder = TemporaryDirectory(prefix="remem-command-", ignore_cleanup_errors=True)
        environment_of_child = {
            key: value.replace("{folder}", folder.name) for key, value in environment.items()
        }
        try:
            self._process = WorkerProcess(
                label, command, timeout_seconds, environment_of_child, folder
            )
        except WorkerError as error:
            raise ProgramError(str(error)) from error
        self._end = weakref.finalize(self, self._process.close)
        hello = self.ask({"hello": {"protocol": PROTOCOL}}, Hello)
        self.program = f"{hello.name} {hello.version}".strip()

    @property
    def closed(self) -> bool:
        """Return whether the program has ended."""
        return not self._end.alive

    def ask(self, line: Mapping[str, object], kind: type[Answer]) -> Answer:
        """Send a line to the program and return its answer.

        Raises:
            ProgramError: There is no valid answer; the program is then ended.
        """
        try:
            return self._process.ask(line, kind, lambda: None)
        except WorkerError as error:
            self.close()
            raise ProgramError(str(error)) from error

    def close(self) -> None:
        """End the program and remove its folder."""
        self._end()


class CommandConnection:
    """A connection to a program for one history; `close` does not end a shared program."""

    def __init__(self, program: CommandProgram, history: str, *, shared: bool) -> None:
        self._program = program
        self._history = history
        self._shared = shared

    @property
    def program(self) -> str:
        """Return the name and version that the program states."""
        return self._program.program

    def store(self, piece: Piece) -> Stored:
        """Let the program index a piece; if it reports an error, the piece counts as lost."""
        piece_fields = {**fields_of(piece, ""), "history": self._history}
        piece_fields.pop("namespace")
        answer = self._program.ask({"index": piece_fields}, IndexedReply)
        return Stored(0 if answer.error else answer.stored, answer.ids, answer.error)

    def search(self, query: Query, top_k: int) -> tuple[FoundItem, ...]:
        """Return the items that the program finds for a question."""
        query_fields = {"text": query.text, "top_k": top_k, "history": self._history}
        answer = self._program.ask({"recall": query_fields}, Recalled)
        if answer.error:
            reason = answer.error[:LONGEST_REASON]
            raise ProgramError(f"the program cannot search: {reason}", usable=True)
        return tuple(FoundItem(item.text, item.id, item.time, item.source) for item in answer.found)

    def close(self) -> None:
        """End the program unless it is shared with other histories."""
        if not self._shared:
            self._program.close()


def command_memory(
    *,
    label: str,
    command: Sequence[str],
    environment: Mapping[str, str] | None,
    isolation: Isolation,
    shared: SharedProgram,
    unit: Unit,
    top_k: int,
    timeout_seconds: float,
) -> ProgramMemory:
    """Return a memory that uses a program; the program is started when it is first needed.

    Args:
        label: The name of the program in errors.
        command: The program and its arguments.
        environment: Additional environment variables, in which {folder} becomes the program's
            folder.
        isolation: Whether each history has its own process, or all histories share one process,
            which tells them apart by name.
        shared: Holds the process that all histories share.
        unit: What one `index` line contains: a message or a session.
        top_k: The maximum number of items that a query recalls.
        timeout_seconds: The maximum time to wait for an answer.

    Raises:
        UsageError: No program is given.
    """
    if not command:
        raise UsageError(
            "method=command needs a program: set method.build.command=[<program>,<argument>]"
        )
    started = absolute_command(command)

    def start() -> CommandProgram:
        return CommandProgram(label, started, environment or {}, timeout_seconds)

    def connect(history_id: str) -> CommandConnection:
        if isolation == "process":
            return CommandConnection(start(), history_id, shared=False)
        return CommandConnection(shared.get(start), f"{history_id}-{token_hex(4)}", shared=True)

    return ProgramMemory(label=label, connect=connect, unit=unit, top_k=top_k)
