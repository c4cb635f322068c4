"""Constants of a Python file that is parsed and never run: texts, and lists and dicts of texts."""

import ast
from collections.abc import Mapping
from typing import Any


def read_constant(content: bytes, source: str, name: str) -> Any:
    """Return what a name at the top level of a file stands for; a tuple becomes a list.

    >>> file = b"rule = 'Be brief.'; asked = [{'role': 'system', 'content': rule}]"
    >>> read_constant(file, "x.py", "asked")
    [{'role': 'system', 'content': 'Be brief.'}]

    Raises:
        ValueError: The file is no Python, or the name has no value, several, or another one.
    """
    try:
        module = ast.parse(content, filename=source)
        assigned = _assigned(module)
        if name not in assigned:
            raise ValueError(f"{source} assigns no {name!r}, or not exactly once and by itself")
        return _value(assigned[name], assigned, source)
    except SyntaxError as error:
        raise ValueError(f"{source}, line {error.lineno}, is no Python: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"{source} is nested too deeply to be read") from error


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """Return what is assigned at the top level, by itself and nowhere else in the file."""
    stored = [
        node.id
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]
    return {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and stored.count(target.id) == 1
    }


def _value(node: ast.expr | None, assigned: Mapping[str, ast.expr], source: str) -> Any:
    match node:
        case ast.Constant(value=str()):
            return ast.literal_eval(node)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, assigned, source) for item in items]
        case ast.Dict(keys=keys, values=values):
            keyed = zip(keys, values, strict=True)
            return {
                _value(key, assigned, source): _value(value, assigned, source)
                for key, value in keyed
            }
        case ast.Name(id=name) if name in assigned and _at(assigned[name]) < _at(node):
            return _value(assigned[name], assigned, source)
    where = f"{source}, line {node.lineno}," if node else source
    raise ValueError(
        f"{where} holds {_called(node)}, expected a plain text, or a list or dict of such: "
        f"the file is read and never run"
    )


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
