"""Constants of a Python file that is parsed and never run: texts, and lists and dicts of texts."""

import ast
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_PARTS = 10_000
"""Of a constant: names that stand for lists of names could make it grow without end."""
HALF_A_PAIR = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: no file of text can hold it."""


def read_constant(content: bytes, source: str, name: str) -> Any:
    """Return what a name at the top level of a file stands for; a tuple becomes a list.

    >>> file = b"rule = 'Be brief.'; asked = [{'role': 'system', 'content': rule}]"
    >>> read_constant(file, "x.py", "asked")
    [{'role': 'system', 'content': 'Be brief.'}]

    Raises:
        ValueError: The file is no Python, or the name has no value, several, or another one.
    """
    try:
        assigned = _assigned(_module(content, source))
        if name not in assigned:
            raise ValueError(f"{source} assigns no {name!r}, or not exactly once and by itself")
        return _Reading(assigned, source).value(assigned[name])
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"{source} is nested too deeply to be read") from error


def _module(content: bytes, source: str) -> ast.Module:
    try:
        return ast.parse(content, filename=source)
    except SyntaxError as error:
        raise ValueError(f"{source}, line {error.lineno}, is no Python: {error.msg}") from error
    except ValueError as error:  # a null byte, or bytes that are no text
        raise ValueError(f"{source} is no Python: {error}") from error


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """Return what is assigned at the top level, by itself and nowhere else in the file."""
    stored = Counter(
        node.id
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    return {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and stored[target.id] == 1
    }


@dataclass(slots=True)
class _Reading:
    """A constant on its way from the tree of a file, and how many parts of it were read."""

    assigned: Mapping[str, ast.expr]
    source: str
    parts: int = 0

    def value(self, node: ast.expr | None) -> Any:
        """Return what a node stands for."""
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise ValueError(f"{self.source}: a constant has more than {MOST_PARTS} parts")
        match node:
            case ast.Constant(value=str(text)) if not HALF_A_PAIR.search(text):
                return text
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.value(item) for item in items]
            case ast.Dict(keys=keys, values=values):
                return {
                    self._key(key): self.value(value)
                    for key, value in zip(keys, values, strict=True)
                }
            case ast.Name(id=name) if name in self.assigned and self._is_above(name, node):
                return self.value(self.assigned[name])
        raise ValueError(
            f"{self._where(node)} holds {_called(node)}, expected a plain text, or a list or dict "
            f"of such: the file is read and never run"
        )

    def _key(self, node: ast.expr | None) -> str:
        key = self.value(node)
        if not isinstance(key, str):
            raise ValueError(f"{self._where(node)} has a key that is no plain text")
        return key

    def _is_above(self, name: str, node: ast.expr) -> bool:
        return _at(self.assigned[name]) < _at(node)

    def _where(self, node: ast.expr | None) -> str:
        return f"{self.source}, line {node.lineno}," if node else self.source


def _at(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _called(node: ast.expr | None) -> str:
    match node:
        case ast.JoinedStr():
            return "an f-string"
        case ast.Call():
            return "a call"
        case ast.Name(id=name):
            return f"the name {name!r}, which no text above it has"
    return f"a piece of code ({type(node).__name__})"
