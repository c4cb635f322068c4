"""Readers and writers of a type's JSON, made once each: making one takes longer than reading."""

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

Kind = TypeVar("Kind")


def adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    """Return the validator of a type."""
    made: TypeAdapter[Kind] = _made(cast("Hashable", kind))
    return made


@cache
def _made(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
