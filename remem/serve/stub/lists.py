"""Parse a list that a client has written into its prompt, as JSON or as Python."""

import ast
import json
from typing import Any


def read_list(text: str) -> list[Any]:
    """Return the list between the first and the last bracket of a text, or [] if there is none.

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
