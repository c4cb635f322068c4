"""A list that a client has written into its prompt, as JSON or as Python prints it."""

import ast
import json
from typing import Any


def read_list(text: str) -> list[Any]:
    """Return the list that a text is, from its first bracket to its last; none is an empty one.

    >>> read_list("they are: [{'id': 0}]")
    [{'id': 0}]
    """
    written = text[text.find("[") : text.rfind("]") + 1]
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(written)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return found if isinstance(found, list) else []
    return []
