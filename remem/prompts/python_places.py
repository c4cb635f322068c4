"""Where a file of Python assigns a name: at the top, in a function or a class, or in a dict."""

import ast
import re
from collections import Counter

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_ONE_OF = re.compile(r"([^\W\d]\w*)\[([1-9]\d?)/([1-9]\d?)\]")


def place_of(module: ast.Module, source: str, dotted: str) -> ast.expr:
    """Return the expression that a dotted name stands for.

    The first parts of the name may be classes and functions, the last ones keys of a dict. The name
    of a function may be followed by, for example, [2/5]: the second of exactly five assignments.

    Raises:
        ValueError: The name is not assigned exactly once, or as often as said, or a key is missing.
    """
    scope: Scope = module
    parts = dotted.split(".")
    while len(parts) > 1 and (inner := _definition(scope, parts[0])) is not None:
        scope = inner
        del parts[0]
    name, *keys = parts
    if one_of := _ONE_OF.fullmatch(name):
        node = _one_of(scope, source, dotted, one_of)
    else:
        assigned = assigned_alone(scope) if scope is module else _assigned_in(scope, name)
        if name not in assigned:
            raise ValueError(
                f"{source} does not assign {dotted!r}, or not exactly once and by itself"
            )
        node = assigned[name]
    for key in keys:
        node = entry(node, key, source)
    return node


def assigned_alone(module: Scope) -> dict[str, ast.expr]:
    """Return the names assigned exactly once, at the top level of a file, with their values."""
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


def entry(node: ast.expr, key: str, source: str) -> ast.expr:
    """Return the value of a dict's key.

    Raises:
        ValueError: The node is not a dict, or has the key not exactly once.
    """
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    found = [value for at, value in pairs if isinstance(at, ast.Constant) and at.value == key]
    if len(found) != 1:
        raise ValueError(f"{source}, line {node.lineno}, holds no dict with one key {key!r}")
    return found[0]


def _definition(scope: Scope, name: str) -> Scope | None:
    found = [
        statement
        for statement in scope.body
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and statement.name == name
    ]
    return found[0] if len(found) == 1 else None


def _assigned_in(scope: Scope, name: str) -> dict[str, ast.expr]:
    """Return the values assigned to a name, or to an attribute of `self`, in a function.

    An empty text does not count as a second value, because it is only the default of a branch.
    """
    values = [
        statement.value
        for statement in ast.walk(scope)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if _stored_name(target) == name
    ]
    stored = sum(_stored_name(node) == name for node in ast.walk(scope))
    filled = [expr for expr in values if not (isinstance(expr, ast.Constant) and expr.value == "")]
    return {name: filled[0]} if len(filled) == 1 and stored == len(values) else {}


def _one_of(scope: Scope, source: str, dotted: str, asked: re.Match[str]) -> ast.expr:
    """Return the value of one of several assignments of a name, in the order of the file."""
    name, place, due = asked[1], int(asked[2]), int(asked[3])
    found = [
        statement
        for statement in ast.walk(scope)
        if isinstance(statement, ast.Assign)
        and [_stored_name(target) for target in statement.targets] == [name]
    ]
    stored = sum(_stored_name(node) == name for node in ast.walk(scope))
    if not place <= due == len(found) == stored:
        raise ValueError(
            f"{source} assigns {name!r} {stored} times where {dotted!r} is looked for, expected "
            f"{due} plain assignments"
        )
    return sorted(found, key=lambda statement: statement.lineno)[place - 1].value


def _stored_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store() | ast.Del()):
            return name
    return None
