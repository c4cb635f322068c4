"""For any JSON schema, the stub makes a value that fits it, with words of the prompt."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from remem.serve.stub.schema import filled

SIMPLE: list[Any] = [str, int, float, bool, type(None), str | None, list[int], list[str]]


class Inner(BaseModel):
    name: str
    valid_at: str | None
    weights: tuple[float, float]


class Outer(BaseModel):
    inners: list[Inner]
    kind: str | int
    duplicate_idx: int


@given(st.recursive(st.sampled_from(SIMPLE), lambda inner: inner.map(lambda kind: list[kind])))
def test_a_value_is_valid_under_the_schema_of_its_type(kind: Any) -> None:
    adapter = TypeAdapter(kind)
    adapter.validate_python(filled(adapter.json_schema(), "Ann met Bo."), strict=True)


def test_nested_models_are_filled_with_names_of_the_text_and_unknown_times_stay_open() -> None:
    found = Outer.model_validate(filled(Outer.model_json_schema(), "Ann met Bo in Rome."))
    assert [inner.name for inner in found.inners] == ["Ann", "Bo"]
    assert [inner.valid_at for inner in found.inners] == [None, None]
    assert found.duplicate_idx == -1


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": ["b", "a"]}, "b"),
        ({"const": 3}, 3),
        ({"type": ["null", "string"]}, "Ann"),
        ({"type": "string", "maxLength": 2}, "An"),
        ({"type": "string", "minLength": 5}, "Annxx"),
        ({"type": "string", "format": "date-time"}, "2023-01-01T00:00:00Z"),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "array", "minItems": 3, "items": {"type": "integer"}}, [0, 0, 0]),
        ({"type": "array", "maxItems": 1}, ["Ann"]),
        ({"$ref": "#/nowhere"}, "Ann"),
        ({}, "Ann"),
    ],
)
def test_keywords_are_heeded(schema: dict[str, Any], value: Any) -> None:
    assert filled(schema, "Ann") == value


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    assert filled({"$defs": {"node": node}, "$ref": "#/$defs/node"}, "Ann")["next"]
    assert filled({"$ref": "#"}, "Ann") == "Ann"
    assert filled({"$defs": [1], "$ref": "#/$defs"}, "Ann") == "Ann"
    wide = {"type": "object", "properties": {name: {"$ref": "#/$defs/w"} for name in "abcdefgh"}}
    assert str(filled({"$defs": {"w": wide}, "$ref": "#/$defs/w"}, "Ann")).count("{") <= 10_000
