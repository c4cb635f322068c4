"""Count the replies of a call store that match their schema, and those that could be read.

    remem run llm=smollm2 method=remem_i extractor=llm planner=llm ... paths.results=FOLDER
    python scripts/plumbing.py FOLDER/cache/calls.sqlite

It exits with 1 where a reply to a call with a schema does not keep to it, where a reply was not
read, or where no call had a schema. docs/small_models.md has the commands and what they showed.
"""

import json
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

TYPES: Mapping[str, type] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}
CHECKED = {
    *("type", "enum", "anyOf", "maxLength", "items", "maxItems"),
    *("properties", "required", "additionalProperties"),
}
"""All keywords in the schemas of this project."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, its request, and its outcome."""

    stage: str
    outcome: str
    error: str
    request: Mapping[str, Any]
    text: str
    completion_tokens: int

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """Return the schema in the request, or None."""
        found: Mapping[str, Any] | None = self.request.get("reply_alternatives")
        return found or self.request["reply_schema"]

    @property
    def is_valid(self) -> bool:
        """Return True if the text is JSON that matches the schema."""
        try:
            return self.schema is not None and keeps_to(json.loads(self.text), self.schema)
        except json.JSONDecodeError:
            return False

    @property
    def was_full(self) -> bool:
        """Return True if it is a list at its maximum length, which is requested in parts."""
        return self.outcome == "truncated" and not self.error


def keeps_to(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return True if a value matches a schema.

    Raises:
        ValueError: The schema says what is not checked here.
    """
    if unknown := schema.keys() - CHECKED:
        raise ValueError(f"the schema has {sorted(unknown)}, which this script does not check")
    if "anyOf" in schema and not any(keeps_to(value, part) for part in schema["anyOf"]):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    named = schema.get("type", [])
    types = [named] if isinstance(named, str) else named
    if types and not any(_is_of(value, name) for name in types):
        return False
    if isinstance(value, str):
        return bool(len(value) <= schema.get("maxLength", len(value)))
    if isinstance(value, list):
        fits = len(value) <= schema.get("maxItems", len(value))
        return fits and all(keeps_to(item, schema.get("items", {})) for item in value)
    return not isinstance(value, dict) or _has_parts(value, schema)


def _is_of(value: Any, name: str) -> bool:
    if name in ("integer", "number"):
        numbers = int if name == "integer" else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def _has_parts(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    if set(schema.get("required", ())) - value.keys():
        return False
    if schema.get("additionalProperties") is False and value.keys() - properties.keys():
        return False
    return all(keeps_to(value[name], properties[name]) for name in value.keys() & properties.keys())


def read_replies(store: str) -> list[Reply]:
    """Return all replies of a call store, without server errors."""
    sql = "SELECT stage, outcome, error, request, text, completion_tokens FROM calls"
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        rows = connection.execute(f"{sql} WHERE outcome != 'error'").fetchall()
    return [
        Reply(stage, outcome, error, json.loads(request), text, tokens)
        for stage, outcome, error, request, text, tokens in rows
    ]


def told(stage: str, replies: Sequence[Reply]) -> tuple[str, bool]:
    """Return the line of a stage, and whether all its replies are good."""
    asked = [reply for reply in replies if reply.schema is not None]
    valid = sum(reply.is_valid for reply in asked)
    full = sum(reply.was_full for reply in replies)
    unread = sum(reply.outcome != "ok" for reply in replies) - full
    tokens = sum(reply.completion_tokens for reply in replies)
    line = (
        f"{stage}: {len(replies)} replies, {len(asked)} to a schema, {valid} valid, "
        f"{full} full lists (asked for in parts), {unread} unread, {tokens} tokens"
    )
    return line, valid == len(asked) and not unread


def main(store: str) -> int:
    """Print a line of figures for each stage and for all stages."""
    replies = read_replies(store)
    for stage in sorted({reply.stage for reply in replies}):
        print(told(stage, [reply for reply in replies if reply.stage == stage])[0])
    line, as_it_should_be = told("all", replies)
    print(line)
    return int(not as_it_should_be or all(reply.schema is None for reply in replies))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
