"""Read the result of a tool of an MCP server: plain texts, or a JSON list at a configured path."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remem.apps.rivals.program import FoundItem, ProgramError, Stored
from remem.apps.rivals.worker_replies import LONGEST_ID, MOST_ITEMS
from remem.files.json_text import json_value
from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint

TOP = "."
"""The path of the whole JSON value."""
LONGEST_SHOWN = 200

Json = Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned: the texts of its content blocks, and its JSON value if it has one."""

    texts: tuple[str, ...]
    structured: Json = None

    def json(self) -> Json:
        """Return the JSON value; several blocks of JSON become a list.

        Raises:
            ProgramError: A text is not JSON.
        """
        if self.structured is not None:
            return self.structured
        try:
            values = [json_value(text) for text in self.texts]
        except ValueError as error:
            shown = " / ".join(self.texts)[:LONGEST_SHOWN]
            raise ProgramError(
                f"expected JSON, found {shown!r}; if the tool returns plain text, leave "
                f"method.build.found_list empty",
                usable=True,
            ) from error
        return values[0] if len(values) == 1 else values


@dataclass(frozen=True, slots=True)
class ResultPaths:
    """The paths of the values in the results of both tools; an empty path means no value.

    A path joins keys and positions with dots, such as `results.0.text`; "." is the whole value.
    `found_list` is empty for a tool that returns plain texts; each text is one item.
    `nothing_found` is the start of the text with which the tool says that nothing was found.
    """

    stored_list: str
    stored_id: str
    found_list: str
    found_text: str
    found_id: str
    found_time: str
    nothing_found: str

    def stored(self, result: ToolResult) -> Stored:
        """Return what a tool has stored; with an empty `stored_list`, any answer is one item."""
        if not self.stored_list:
            return Stored(1)
        made = _listed(result, "stored_list", self.stored_list)
        ids = [_id(item, self.stored_id) for item in made] if self.stored_id else []
        return Stored(len(made), tuple(filter(None, ids)))

    def items_of(self, result: ToolResult) -> tuple[FoundItem, ...]:
        """Return the items that a tool has found.

        Raises:
            ProgramError: The result has no value at one of the paths.
        """
        if not self.found_list:
            return tuple(FoundItem(text) for text in result.texts if self._says_something(text))
        items = _listed(result, "found_list", self.found_list)
        return tuple(self._item(item) for item in items)

    def _says_something(self, text: str) -> bool:
        stated = text.strip()
        return bool(stated) and not (self.nothing_found and stated.startswith(self.nothing_found))

    def _item(self, item: Json) -> FoundItem:
        text = _text(item, self.found_text or TOP)
        if text is None:
            raise _misplaced("found_text", self.found_text or TOP, item)
        id_ = _id(item, self.found_id) if self.found_id else ""
        return FoundItem(text, id_ or "", self._time(item))

    def _time(self, item: Json) -> TimePoint | None:
        stated = _text(item, self.found_time) if self.found_time else None
        return parse_point(stated) if stated else None


def at_path(value: Json, path: str) -> Json:
    """Return the value at a path; None if there is none.

    >>> at_path({"results": [{"text": "a"}]}, "results.0.text")
    'a'
    """
    for key in path.split(".") if path != TOP else ():
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _listed(result: ToolResult, setting: str, path: str) -> Sequence[Json]:
    value = result.json()
    listed = at_path(value, path)
    if not isinstance(listed, list):
        raise _misplaced(setting, path, value)
    if len(listed) > MOST_ITEMS:
        raise ProgramError(
            f"the list at method.build.{setting}={path} has {len(listed):,} items, expected at "
            f"most {MOST_ITEMS:,}",
            usable=True,
        )
    return listed


def _id(item: Json, path: str) -> str | None:
    id_ = _text(item, path)
    if id_ is not None and len(id_) > LONGEST_ID:
        raise ProgramError(
            f"the id at {path} has {len(id_):,} characters, expected at most {LONGEST_ID:,}: "
            f"{id_[:LONGEST_SHOWN]}",
            usable=True,
        )
    return id_


def _text(item: Json, path: str) -> str | None:
    """Return the text at a path: a text, a number, or a list of texts joined by line breaks."""
    value = at_path(item, path)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)


def _misplaced(setting: str, path: str, value: Json) -> ProgramError:
    shown = json.dumps(value, ensure_ascii=False)[:LONGEST_SHOWN]
    kind = "list" if setting.endswith("list") else "text"
    return ProgramError(
        f"there is no {kind} at method.build.{setting}={path} in what the tool returned: {shown}",
        usable=True,
    )
