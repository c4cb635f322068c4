"""Define the JSON schemas that the stub supports; others are refused before they are filled."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

Named = dict[str, "SchemaPart"]
Choices = Annotated[list["SchemaPart"], Field(min_length=1)]
Size = Annotated[int, Field(ge=0, le=1000)]
Limit = Annotated[float, Field(ge=-(2**53), le=2**53)]
NOT_GIVEN: Any = None


class SchemaPart(BaseModel):
    """A schema or a part of one; its other keywords do not affect the value."""

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
    """Raise ValueError unless the schema is supported.

    Raises:
        pydantic.ValidationError: The schema is not supported.
    """
    SchemaPart.model_validate(schema)
