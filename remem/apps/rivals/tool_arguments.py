"""Templates of a tool's arguments, with placeholders such as {text}, checked before use."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from remem.config.suggestions import either
from remem.errors import UsageError

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
STORE_FIELDS = ("id", "session", "speaker", "text", "date", "time", "namespace")
SEARCH_FIELDS = ("query", "top_k", "namespace")
NAMESPACE = "namespace"
"""The placeholder that separates histories which one server holds."""

Json = Any


def check_template(what: str, template: object, known: tuple[str, ...]) -> None:
    """Raise an error if a template is not a mapping or has an unknown placeholder."""
    if not isinstance(template, Mapping):
        raise UsageError(
            f"{what} is {template!r}, expected a mapping with the arguments of the tool, such as "
            f'{{{known[0]}: "{{{known[0]}}}"}}'
        )
    unknown = sorted(placeholders(template) - set(known))
    if unknown:
        raise UsageError(f"{what} has the placeholder {{{unknown[0]}}}; choose {either(known)}")


def placeholders(template: object) -> set[str]:
    """Return the names of all placeholders in a template."""
    return {name for text in _texts(template) for name in PLACEHOLDER.findall(text)}


def filled(template: Json, values: Mapping[str, str | int]) -> Json:
    """Return a copy of a template with its placeholders replaced.

    If a text is just one placeholder, it becomes the value itself, so that a number stays a number.
    Placeholders inside values are not replaced.

    >>> filled({"limit": "{top_k}", "q": "find {query}"}, {"top_k": 5, "query": "a {b}"})
    {'limit': 5, 'q': 'find a {b}'}
    """
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    alone = PLACEHOLDER.fullmatch(template)
    if alone:
        return values[alone[1]]
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _texts(value)
