"""The tools as a model is told of them (paper, Table 1), from the models that check its arguments.

A schema says how a reply is shaped; it guarantees nothing: what comes is checked all the same.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from remem.memory.tool_arguments import TOOL_ARGUMENTS, TimeArguments
from remem.prompts.bounded_schema import bounded
from remem.protocols import ToolSpec

MOST_CHARACTERS = 300
"""The longest text in a call, where an endpoint keeps to that."""
SHOWN_KEYS = ("type", "enum", "minimum", "default")


def tool_specs(names: Sequence[str]) -> tuple[ToolSpec, ...]:
    """Return name, description and parameters of the tools."""
    return tuple(map(_spec, names))


def describe(specs: Sequence[ToolSpec]) -> str:
    """Write the tools down for a prompt: a line for each, then one for each argument."""
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
    """Return the schema of an object with these three keys, fit for endpoints that are strict.

    Such an endpoint wants every property required; null stands for one that is not given.
    """
    shapes: list[dict[str, Any]] = []
    for spec in specs:
        shape = _all_required(spec.parameters)
        if shape not in shapes:  # they tell alternatives apart by their first property
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
    """Return a schema with one alternative for each tool, with the arguments of that tool alone.

    For endpoints that are not strict: a strict one takes no alternatives of the whole reply. Its
    texts have an end, for some models never end one by themselves.
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


@cache  # it is wanted for every step, and takes as long as a call
def _spec(name: str) -> ToolSpec:
    schema = TOOL_ARGUMENTS[name].model_json_schema()
    return ToolSpec(name, schema["description"], _parameters(schema))


def _parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    # What a tool is about stands first, the time arguments that all share last.
    names = sorted(schema["properties"], key=lambda name: name in TimeArguments.model_fields)
    shown = {name: _property(schema["properties"][name]) for name in names}
    return {**_object(shown), "required": required}


def _property(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a property without its title and without null, which is as good as not given."""
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
