"""Parse the replies to the extraction prompts into gists and facts (paper, Indexing).

The parser accepts prose or code fences around the JSON, a bare list, triples as lists, nulls, and
numbers as dates. Nothing is invented: an incomplete item is dropped, and a reply in any other form
is rejected. A cut list is rejected too, because it would look complete without its missing items.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic import model_validator as validator

from remem.errors import RejectedReplyError
from remem.prompts.library import bounded
from remem.prompts.replies import CutReplyError, json_at, json_objects, object_schema
from remem.protocols import ChatReply
from remem.temporal.dates import parse_point
from remem.temporal.periods import OPEN_ENDS, parse_period
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope

Item = TypeVar("Item")

_PARTS = ("subject", "predicate", "object")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def _one_line(text: str) -> str:
    text.encode()  # raises ValueError for half a surrogate pair, which no file can store
    return " ".join(_CONTROL.sub(" ", text).split())


Text = Annotated[str, AfterValidator(_one_line)]


class StatedFact(BaseModel):
    """A triple and its dates as the model wrote them.

    `reference_time` and `record_time` are two names for the time when the fact was said.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    subject: Text | None
    predicate: Text | None
    object: Text | None
    point_in_time: Text | None = None
    start_time: Text | None = None
    end_time: Text | None = None
    reference_time: Text | None = None
    record_time: Text | None = None

    @validator(mode="before")
    @classmethod
    def _flatten(cls, raw: Any) -> Any:
        """Accept a triple that is a list, and times that are nested in `qualifiers`."""
        if isinstance(raw, list) and len(raw) == 3:
            return dict(zip(_PARTS, raw, strict=True))
        if isinstance(raw, dict) and isinstance(raw.get("qualifiers"), dict):
            return {**raw, **raw["qualifiers"]} | _stated_values(raw)
        return raw


def _stated_values(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the non-null values, so that no null overrides a qualifier of the same name."""
    return {name: value for name, value in raw.items() if value is not None}


_GISTS = TypeAdapter(list[Text | None])
_FACTS = TypeAdapter(list[StatedFact | None])


_TIMES = ("point_in_time", "start_time", "end_time", "record_time")
_PARTS_SCHEMA = {part: {"type": "string"} for part in _PARTS}
_TIMES_SCHEMA = {time: {"type": ["string", "null"]} for time in _TIMES}
GISTS_SCHEMA = object_schema({"gists": {"type": "array", "items": {"type": "string"}}})
FACTS_SCHEMA = object_schema(
    {"facts": {"type": "array", "items": object_schema(_PARTS_SCHEMA | _TIMES_SCHEMA)}}
)
_QUALIFIED = object_schema(_PARTS_SCHEMA | {"qualifiers": object_schema(_TIMES_SCHEMA)})
QUALIFIED_FACTS_SCHEMA = object_schema({"facts": {"type": "array", "items": _QUALIFIED}})


BOUNDED_GISTS_SCHEMA = bounded(GISTS_SCHEMA, 300)
"""The schema with maximum lengths that only a model that repeats itself reaches."""


def bounded_facts(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Limit the lengths of texts in a schema of facts, which are only names and dates."""
    return bounded(schema, 80, dict.fromkeys(_TIMES, 30))


def parse_gists(reply: ChatReply) -> tuple[str, ...]:
    """Return the gists in a reply; raise RejectedReplyError if the reply is unusable."""
    return _complete(_items(reply, "gists", _GISTS.validate_python), bool)


def parse_facts(reply: ChatReply) -> tuple[StatedFact, ...]:
    """Return the facts in a reply; raise RejectedReplyError if the reply is unusable."""
    return _complete(
        _items(reply, "facts", _FACTS.validate_python),
        lambda fact: bool(fact.subject and fact.predicate and fact.object),
    )


def _items(reply: ChatReply, key: str, validate: Callable[[list[Any]], list[Item]]) -> list[Item]:
    try:
        return validate(_raw_items(reply, key))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in (key, *first["loc"]))
        raise RejectedReplyError(f"{where}: {first['msg']}") from error


def _complete(items: Sequence[Item | None], is_whole: Callable[[Item], bool]) -> tuple[Item, ...]:
    """Drop null and incomplete items; reject a reply that has only such items."""
    whole = tuple(item for item in items if item is not None and is_whole(item))
    if items and not whole:
        raise RejectedReplyError(f"none of the {len(items)} items is complete")
    return whole


def _raw_items(reply: ChatReply, key: str) -> list[Any]:
    text = reply.text.strip()
    item_lists = [each[key] for each in json_objects(text) if key in each]
    if any(
        items != item_lists[0] for items in item_lists[1:]
    ):  # a weak model may repeat the same object
        raise RejectedReplyError(f"{len(item_lists)} objects have the key {key!r}, expected one")
    if item_lists and not isinstance(item_lists[0], list):
        raise RejectedReplyError(f"{key!r} is a {type(item_lists[0]).__name__}, expected a list")
    items = item_lists[0] if item_lists else _bare_list(text)
    if items is None and reply.truncated:
        raise CutReplyError
    if items is None:
        raise RejectedReplyError(f"no JSON object with the key {key!r}")
    return items


def _bare_list(text: str) -> list[Any] | None:
    """Return the list at the start of a text's JSON, or None if an object comes first."""
    at = text.find("[")
    if at < 0 or "{" in text[:at]:
        return None
    try:
        listed: list[Any] = json_at(text, at)[0]
    except ValueError:
        return None
    return listed


_RESOLVED_YEARS = re.compile(r"\((?=[12]\d{3}(?: to [12]\d{3})?\))", re.ASCII)
_PREFIX = re.compile(r"\s*\[([^\]]*)\]")


class UnreadableDateError(ValueError):
    """A date cannot be parsed; the fact is kept without a date, and such facts are counted."""


def gist_scope(text: str, said_at: TimePoint | None) -> TimeScope | None:
    """Return the time of a gist: the only time in its text, else its prefix date, else `said_at`.

    Return None if the text has times, but none of them can be read.

    >>> str(gist_scope("[14 June 2022] Ines rowed last Sunday (12 June 2022).", None))
    '2022-06-12'
    """
    prefix = _PREFIX.match(text)
    said_at = (parse_point(prefix[1]) if prefix else None) or said_at
    body = text[prefix.end() :] if prefix else text
    times = times_in(_RESOLVED_YEARS.sub("(in ", body), said_at)
    scopes = {time.scope for time in times if time.scope}
    if len(scopes) == 1:
        return scopes.pop()
    is_unread = bool(times) and not scopes
    return TimeScope(said_at) if said_at and not is_unread else None


def fact_scope(fact: StatedFact, said_at: TimePoint | None = None) -> TimeScope | None:
    """Return when a fact holds; a point_in_time takes precedence over an interval.

    If the start_time is a period, its start counts; if the end_time is a period, its end counts. A
    relative time ("last summer") is counted from `said_at`.

    Raises:
        UnreadableDateError: A date cannot be parsed, or the end is before the start.
    """
    if fact.point_in_time:
        return _read(fact.point_in_time, said_at)
    start = _read_end(fact.start_time, said_at, lambda scope: scope.start)
    still = (fact.end_time or "").lower() in OPEN_ENDS
    end = None if still else _read_end(fact.end_time, said_at, lambda scope: scope.end)
    if start and end and start.first_minute > end.last_minute:
        raise UnreadableDateError(f"{start} to {end}")
    return TimeScope(start_time=start, end_time=end) if start or end else None


def fact_said(fact: StatedFact, said_at: TimePoint | None) -> TimePoint | None:
    """Return when a fact was said: its reference_time, else its record_time, else `said_at`.

    The filter of the released code (base_tool) uses the same order.
    """
    stated = (fact.reference_time, fact.record_time)
    return next((point for time in stated if (point := parse_point(time or ""))), said_at)


def _read(text: str, said_at: TimePoint | None) -> TimeScope:
    scope = parse_period(text, said_at)
    if scope is None:
        raise UnreadableDateError(text)
    return scope


def _read_end(
    text: str | None, said_at: TimePoint | None, end: Callable[[TimeScope], TimePoint | None]
) -> TimePoint | None:
    """Read one end of an interval; raise an error if the text has none, as "before 2021"."""
    if not text:
        return None
    point = end(_read(text, said_at))
    if point is None:
        raise UnreadableDateError(text)
    return point
