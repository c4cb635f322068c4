"""The descriptions of the tools for a model (paper, Table 1), made from the argument models.

A schema describes the form of a reply but guarantees nothing, so each reply is still validated.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from remem.memory.tool_arguments import TOOL_ARGUMENTS, TimeArguments
from remem.prompts.bounded_schema import bounded
from remem.protocols import ToolSpec

MOST_CHARACTERS = 300
"""Maximum length of a text in a call, in characters, if the endpoint enforces it."""
SHOWN_KEYS = ("type", "enum", "minimum", "default")


def tool_specs(names: Sequence[str]) -> tuple[ToolSpec, ...]:
    """Return the name, description and parameters of each tool."""
    return tuple(map(_spec, names))


def describe(specs: Sequence[ToolSpec]) -> str:
    """Return the prompt text of the tools: a line for each tool, then one for each argument."""
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
    """Return the schema of an object with these three keys, for strict endpoints.

    A strict endpoint needs every property to be required; null stands for a missing argument.
    """
    shapes: list[dict[str, Any]] = []
    for spec in specs:
        shape = _all_required(spec.parameters)
        if shape not in shapes:  # strict endpoints need different first properties
            shapes.append(shape)
    return _object(
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

    The schema is for endpoints that are not strict; strict endpoints accept no alternatives for the
    whole reply. Texts have a maximum length, because some models would never end a text.
    """
    shapes = [
        {
            thought: {"type": "string"},
            tool: {"enum": [spec.name]},
            arguments: _all_required(spec.parameters),
        }
        for spec in specs
    ]
    return bounded({"anyOf": [_object(shape) for shape in shapes]}, MOST_CHARACTERS)


@cache  # needed for every step, and slow
def _spec(name: str) -> ToolSpec:
    schema = TOOL_ARGUMENTS[name].model_json_schema()
    return ToolSpec(name, schema["description"], _parameters(schema))


def _parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    # The tool's own arguments come first, the shared time arguments last.
    names = sorted(schema["properties"], key=lambda name: name in TimeArguments.model_fields)
    shown = {name: _property(schema["properties"][name]) for name in names}
    return {**_object(shown), "required": required}


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
    return _object(
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


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
