"""Make values that fit a JSON schema, and check beforehand that the stub supports the schema."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Annotated, Any

from pydantic import BaseModel, Field

from remem.serve.stub.words import content_words, names

Named = dict[str, "SchemaPart"]
Choices = Annotated[list["SchemaPart"], Field(min_length=1)]
Size = Annotated[int, Field(ge=0, le=1000)]
Limit = Annotated[float, Field(ge=-(2**53), le=2**53)]
NOT_GIVEN: Any = None


class SchemaPart(BaseModel):
    """A JSON schema or a part of a schema; the stub ignores all keywords that are not listed."""

    type: str | Annotated[list[str], Field(min_length=1)] = NOT_GIVEN
    enum: list[Any] = NOT_GIVEN
    properties: Named = NOT_GIVEN
    definitions: Named = NOT_GIVEN
    defs: Named = Field(NOT_GIVEN, alias="$defs")
    items: "SchemaPart" = NOT_GIVEN
    prefixItems: Choices = NOT_GIVEN  # noqa: N815  JSON Schema calls it so
    anyOf: Choices = NOT_GIVEN  # noqa: N815
    oneOf: Choices = NOT_GIVEN  # noqa: N815
    allOf: Choices = NOT_GIVEN  # noqa: N815
    minItems: Size = NOT_GIVEN  # noqa: N815
    maxItems: Size = NOT_GIVEN  # noqa: N815
    minLength: Size = NOT_GIVEN  # noqa: N815
    maxLength: Size = NOT_GIVEN  # noqa: N815
    minimum: Limit = NOT_GIVEN
    maximum: Limit = NOT_GIVEN


def check_schema(schema: Mapping[str, Any]) -> None:
    """Check that the stub supports a schema.

    Raises:
        pydantic.ValidationError: The schema is not supported.
    """
    SchemaPart.model_validate(schema)


DEPTH = 12
"""Maximum nesting of a schema; deeper parts are filled with null."""
ITEMS = 2
"""Number of items in a list without a stated length."""
MOST_VALUES = 10_000
"""Maximum number of values, because a recursive schema could have any number of them."""


def filled(schema: Mapping[str, Any], text: str) -> Any:
    """Return a value that fits the schema; its strings are names and content words of the text."""
    words = [*names(text), *content_words(text)][:1000] or ["nothing"]
    return _Filling(schema, cycle(words)).value(schema, "", 0)


class _Filling:
    """Fills one schema; references are resolved in `root`."""

    def __init__(self, root: Mapping[str, Any], words: Iterator[str]) -> None:
        self._root = root
        self._words = words
        self._values = 0

    def value(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        """Return a value for the property `name`; `schema` is the part that describes it."""
        schema = self._resolved(schema)
        self._values += 1
        if depth > DEPTH or self._values > MOST_VALUES:
            return None
        if "const" in schema or "enum" in schema:
            return schema.get("const", next(iter(schema.get("enum", [])), None))
        choices = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, [])]
        if choices:
            return self.value(_chosen(choices, name), name, depth + 1)
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        kind = (
            kinds if isinstance(kinds, str) else _chosen([{"type": k} for k in kinds], name)["type"]
        )
        return self._of_kind(kind, schema, name, depth)

    def _of_kind(self, kind: str, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        if kind == "object":
            properties: Mapping[str, Any] = schema.get("properties", {})
            return {key: self.value(part, key, depth + 1) for key, part in properties.items()}
        if kind == "array":
            return self._items(schema, name, depth)
        if kind == "string":
            return _fitting(schema, next(self._words))
        if kind in ("integer", "number"):
            return _number(schema, name)
        return False if kind == "boolean" else None

    def _items(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.value(part, name, depth + 1) for part in schema["prefixItems"]]
        items = schema.get("items", {"type": "string"})
        least, most = schema.get("minItems", 0), schema.get("maxItems", ITEMS)
        # A list of numbers refers to something unknown here.
        pointing = self._resolved(items).get("type") in ("integer", "number")
        count = max(least, min(most, 0 if pointing else ITEMS))
        return [self.value(items, name, depth + 1) for _ in range(count)]

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(DEPTH):
            if "$ref" not in schema:
                return schema
            node: Any = self._root
            for part in str(schema["$ref"]).removeprefix("#/").split("/"):
                node = node.get(part, {}) if isinstance(node, Mapping) else {}
            schema = node if isinstance(node, Mapping) else {}
        return {}


def _chosen(choices: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """Return the first choice that is not null, or null for a time, which may be unknown."""
    nothing = [each for each in choices if each.get("type") == "null"]
    something = [each for each in choices if each.get("type") != "null"]
    is_time = name.endswith(("_at", "_time", "date"))
    return (nothing if nothing and (is_time or not something) else something)[0]


def _fitting(schema: Mapping[str, Any], word: str) -> str:
    if schema.get("format") in ("date-time", "date"):
        return "2023-01-01T00:00:00Z" if schema["format"] == "date-time" else "2023-01-01"
    return word.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]


def _number(schema: Mapping[str, Any], name: str) -> int:
    if name.endswith("_idx") and schema.get("minimum", -1) < 0:
        return -1  # no index at all
    least = max(schema.get("minimum", 0), 0)
    return int(min(least, schema.get("maximum", least)))
