"""The replies of a worker; they are validated, because the worker runs another project's code."""

from contextlib import suppress
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from remem.files.adapters import parsed, parsed_once
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint

MOST_COUNTED = 1_000_000_000
"""Maximum of a count: more than any history needs, and sums of counts still fit into tables."""
MOST_ITEMS = 10_000
"""Maximum number of items of an answer; only the first `top_k` are used."""
MOST_IDS = 10_000
"""Maximum number of ids of an item or a piece: more than the longest history has messages."""
LONGEST_ID = 1_000
"""Maximum characters of an id or a name, which are stored with each record."""
LONGEST_ERROR = 100_000
"""Maximum characters of a reason, of which only the beginning is shown."""
MOST_COUNTS = 100
"""Maximum number of different counts, each a line of the report."""
MOST_REASONS = 1_000
"""Maximum number of reasons for what one piece has lost."""
LONGEST_PLACE = 200
"""Maximum characters of a place in an error, as the keys of a reply may be long."""

Counted = Annotated[int, Field(ge=0, le=MOST_COUNTED)]
Id = Annotated[str, Field(max_length=LONGEST_ID)]
Reason = Annotated[str, Field(max_length=LONGEST_ERROR)]


def point(stated: object) -> TimePoint | None:
    """Parse the date of an item; raise ValueError if the text is not a date."""
    if stated is None:
        return None
    parsed = parse_point(stated) if isinstance(stated, str) else None
    if parsed is None:
        raise ValueError(f"expected an ISO date or time, found {stated!r}")
    return parsed


class WorkerReply(BaseModel):
    """Any reply of a worker; `request` is the number of the request that it answers."""

    model_config = ConfigDict(extra="forbid", strict=True)

    request: Counted | None = None


class _AnyReply(WorkerReply):
    """A reply from which only the number of the request is read."""

    model_config = ConfigDict(extra="ignore")


class Ready(WorkerReply):
    """The reply of a worker that has started; `ready` is the installed release of its package."""

    ready: str


class Added(WorkerReply):
    """The reply to an added episode: the number of stored items, other counts, and losses."""

    stored: Counted
    counts: Annotated[dict[Id, Counted], Field(max_length=MOST_COUNTS)]
    lost: Annotated[list[Reason], Field(max_length=MOST_REASONS)]


class WorkerItem(WorkerReply):
    """An item that a worker found; `source` has the ids of the episodes that it comes from."""

    id: Id
    text: str
    time: Annotated[TimePoint | None, BeforeValidator(point)]
    source: Annotated[list[Id], Field(max_length=MOST_IDS)]


class WorkerAnswer(WorkerReply):
    """The answer to a question; `error` is the reason if there is no answer.

    `rejected` counts the replies of the model that the package could not use.
    """

    found: Annotated[list[WorkerItem], Field(max_length=MOST_ITEMS)] = []
    rejected: Counted = 0
    error: Reason = ""


Kind = TypeVar("Kind", bound=WorkerReply)


def read_reply(kind: type[Kind], line: bytes, number: int) -> Kind:
    """Parse a reply; raise ValueError if it is invalid or does not answer request `number`."""
    try:
        reply = parsed_once(kind, line)
    except ValidationError as error:
        with suppress(ValidationError):
            _check_number(parsed(_AnyReply, line), number)
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:LONGEST_PLACE] or "line"
        shown = line[:200].decode(errors="replace")
        raise ValueError(f"{where}: {first['msg']}, in {shown!r}") from error
    _check_number(reply, number)
    return reply


def _check_number(reply: WorkerReply, number: int) -> None:
    if reply.request != number:
        answered = "none" if reply.request is None else reply.request
        raise ValueError(
            f'"request" is {answered}, expected {number}; for each line that a program reads, it '
            f'must write one line with the same number: "request": {number}'
        )
