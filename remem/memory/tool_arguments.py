"""The arguments of the five tools (paper, Table 1) and their validation.

A model may write anything, so an invalid call leads to one sentence that says how to fix it.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from remem.prompts.library import bounded
from remem.prompts.replies import object_schema
from remem.protocols import ToolSpec
from remem.temporal.dates import parse_point
from remem.temporal.scopes import Operator, TimeFilter

Aggregation = Literal["count", "count_unique_subjects", "count_unique_objects"]


class BadArgumentsError(ValueError):
    """A tool call cannot be executed; the message is written for the agent."""


class TimeArguments(BaseModel):
    """The four time arguments that retrieval and exploration tools share."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True
    )

    start_time: str | None = Field(
        None, description="a date that the item's start is compared with"
    )
    end_time: str | None = Field(None, description="a date that the item's end is compared with")
    start_operator: Operator = Field("ge", description="how the start compares with start_time")
    end_operator: Operator = Field("le", description="how the end compares with end_time")

    @field_validator("start_time", "end_time")
    @classmethod
    def _is_a_date(cls, text: str | None) -> str | None:
        if text is not None and parse_point(text) is None:
            raise ValueError(f"{text!r} is not a date that can be read; write it as 2023-05-08")
        return text

    def time_filter(self) -> TimeFilter:
        """Return the time condition of these arguments."""
        return TimeFilter(
            parse_point(self.start_time) if self.start_time else None,
            parse_point(self.end_time) if self.end_time else None,
            self.start_operator,
            self.end_operator,
        )


class SemanticRetrieve(TimeArguments):
    """Find the gists and facts whose meaning is nearest to the query."""

    query: str = Field(min_length=1, description="what to look for, in words of your own")


class LexicalRetrieve(TimeArguments):
    """Find the gists and facts that share the query's words."""

    query: str = Field(min_length=1, description="what to look for, in words of your own")


class FindGistContexts(TimeArguments):
    """Find what is linked to a gist: similar gists, and the gists and facts of its episode."""

    gist_id: str = Field(min_length=1, description="the id of a gist shown before, such as g12")


class FindEntityContexts(TimeArguments):
    """Find facts by their subject, predicate or object, and the gists of the same episodes."""

    subject: str | None = Field(
        None, description="who or what the fact is about, or a part of its name"
    )
    predicate: str | None = Field(None, description="the relation, or a part of it")
    object: str | None = Field(
        None, description="what the subject is related to, or a part of its name"
    )
    limit: int | None = Field(
        None, ge=1, description="how many facts to show, if not the usual number"
    )
    ordering: Literal["asc", "desc"] | None = Field(
        None,
        description="asc: earliest start first; desc: latest end first; if left out, what is "
        "nearest to the question first",
    )
    offset: int = Field(0, ge=0, description="how many of the matching facts to skip")
    aggregation: Aggregation | None = Field(
        None, description="count all matching facts instead of showing them"
    )


class OutputAnswer(BaseModel):
    """End the search and propose an answer, or none if the memory does not tell it."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    answer: str | None = Field(None, description="the answer, as short as it can be")


TOOL_ARGUMENTS: Mapping[str, type[BaseModel]] = {
    "semantic_retrieve": SemanticRetrieve,
    "lexical_retrieve": LexicalRetrieve,
    "find_gist_contexts": FindGistContexts,
    "find_entity_contexts": FindEntityContexts,
    "output_answer": OutputAnswer,
}


def parse_arguments(tool: str, arguments: Mapping[str, Any]) -> BaseModel:
    """Validate the arguments of a call; a null counts as a missing argument.

    Raises:
        BadArgumentsError: The tool is unknown or an argument is invalid.
    """
    model = TOOL_ARGUMENTS.get(tool)
    if model is None:
        raise BadArgumentsError(
            f"There is no tool {tool!r}; use one of {', '.join(TOOL_ARGUMENTS)}."
        )
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        problems = "; ".join(
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors(include_url=False)
        )
        raise BadArgumentsError(f"{tool} takes {known}. Wrong here: {problems}.") from error


MOST_CHARACTERS = 300
"""Maximum length of a text in a call, in characters, if the endpoint enforces it."""
SHOWN_KEYS = ("type", "enum", "minimum", "default")


def tool_specs(names: Sequence[str]) -> tuple[ToolSpec, ...]:
    """Return the name, description and parameters of each tool."""
    return tuple(map(_spec, names))


def describe(specs: Sequence[ToolSpec]) -> str:
    """Return the prompt text of tools: a line per tool, followed by a line per argument."""
    tools, arguments = [], {}
    for spec in specs:
        names = [
            name if name in spec.parameters["required"] else f"{name}?"
            for name in spec.parameters["properties"]
        ]
        tools.append(f"- {spec.name}({', '.join(names)}): {spec.description}")
        arguments.update(spec.parameters["properties"])
    lines = (f"- {name}: {_explained(argument)}" for name, argument in arguments.items())
    return "\n".join((*tools, "", "Arguments (those with ? may be left out):", *lines))


def reply_schema(
    specs: Sequence[ToolSpec],
    *,
    thought: str = "thought",
    tool: str = "tool",
    arguments: str = "arguments",
) -> dict[str, Any]:
    """Return the schema of a call, an object with the three given keys, for strict endpoints.

    A strict endpoint requires every property, so null stands for a missing argument.
    """
    shapes: list[dict[str, Any]] = []
    for spec in specs:
        shape = _all_required(spec.parameters)
        if shape not in shapes:  # strict endpoints need different first properties
            shapes.append(shape)
    return object_schema(
        {
            thought: {"type": "string"},
            tool: {"type": "string", "enum": [spec.name for spec in specs]},
            arguments: {"anyOf": shapes},
        }
    )


def reply_alternatives(
    specs: Sequence[ToolSpec], *, thought: str, tool: str, arguments: str
) -> dict[str, Any]:
    """Return a schema with one alternative for each tool, with only the arguments of that tool.

    The schema is for endpoints that are not strict, because strict ones refuse alternatives at the
    top level. Texts have a maximum length, because some models would never end a text.
    """
    shapes = [
        {
            thought: {"type": "string"},
            tool: {"enum": [spec.name]},
            arguments: _all_required(spec.parameters),
        }
        for spec in specs
    ]
    return bounded({"anyOf": [object_schema(shape) for shape in shapes]}, MOST_CHARACTERS)


@cache  # needed for every step, and slow
def _spec(name: str) -> ToolSpec:
    schema = TOOL_ARGUMENTS[name].model_json_schema()
    return ToolSpec(name, schema["description"], _parameters(schema))


def _parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    # The tool's own arguments come first, the shared time arguments last.
    names = sorted(schema["properties"], key=lambda name: name in TimeArguments.model_fields)
    shown = {name: _property(schema["properties"][name]) for name in names}
    return {**object_schema(shown), "required": required}


def _property(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a property without its title and without null, which equals a missing argument."""
    choices = declared.get("anyOf", [declared])
    typed = {**declared, **next(choice for choice in choices if choice["type"] != "null")}
    shown = {key: typed[key] for key in SHOWN_KEYS if typed.get(key) is not None}
    return {**shown, "description": declared["description"]}


def _explained(argument: Mapping[str, Any]) -> str:
    kind = " or ".join(argument["enum"]) if "enum" in argument else argument["type"]
    default = f", {argument['default']} if left out" if "default" in argument else ""
    return f"{argument['description']} ({kind}{default})"


def _all_required(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return object_schema(
        {
            name: _or_null(declared) if name not in parameters["required"] else {"type": "string"}
            for name, declared in parameters["properties"].items()
        }
    )


def _or_null(declared: Mapping[str, Any]) -> dict[str, Any]:
    nullable: dict[str, Any] = {"type": [declared["type"], "null"]}
    if "enum" in declared:
        nullable["enum"] = [*declared["enum"], None]
    return nullable
