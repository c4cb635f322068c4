"""The replies of a worker, validated because it is another program in another environment."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint


def point(stated: object) -> TimePoint | None:
    """Parse the date of an item; raise ValueError if it is none."""
    if stated is None:
        return None
    parsed = parse_point(stated) if isinstance(stated, str) else None
    if parsed is None:
        raise ValueError(f"expected an ISO date or time, found {stated!r}")
    return parsed


class WorkerReply(BaseModel):
    """Any reply of a worker."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Ready(WorkerReply):
    """The worker has started; `ready` is the installed release of its package."""

    ready: str


class Added(WorkerReply):
    """An episode was added: the number of stored items, other counts, and reasons for losses."""

    stored: int
    counts: dict[str, int]
    lost: list[str]


class WorkerItem(WorkerReply):
    """A found item; `source` has the ids of the episodes that it comes from."""

    id: str
    text: str
    time: Annotated[TimePoint | None, BeforeValidator(point)]
    source: list[str]


class WorkerAnswer(WorkerReply):
    """The answer to a question; `error` is the reason if there is none.

    `rejected` counts the replies of the model in which the package found nothing of use.
    """

    found: list[WorkerItem] = []
    rejected: int = Field(default=0, ge=0)
    error: str = ""


Kind = TypeVar("Kind", bound=WorkerReply)


def read_reply(kind: type[Kind], line: bytes) -> Kind:
    """Parse a line as a reply; raise ValueError if it is invalid."""
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "line"
        shown = line[:200].decode(errors="replace")
        raise ValueError(f"{where}: {first['msg']}, in {shown!r}") from error
