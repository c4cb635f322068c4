"""Read texts, and lists and dicts of texts, from a Python file that is parsed but never run."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_ONE_OF = re.compile(r"([^\W\d]\w*)\[([1-9]\d?)/([1-9]\d?)\]")


def place_of(module: ast.Module, source: str, dotted: str) -> ast.expr:
    """Return the expression that is assigned to a dotted name.

    The dotted name may start with enclosing classes and functions, and end with keys of a dict.
    `name[2/5]` means the second of exactly five assignments to the name.

    Raises:
        ValueError: The name is assigned more or less often than expected, or a key is missing.
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
                f"{source} must assign {dotted!r} exactly once, in a statement of its own"
            )
        node = assigned[name]
    for key in keys:
        node = dict_value(node, key, source)
    return node


def assigned_alone(module: Scope) -> dict[str, ast.expr]:
    """Return the value of each top-level name that a file assigns exactly once, by name."""
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


def dict_value(node: ast.expr, key: str, source: str) -> ast.expr:
    """Return the value of a dict's key.

    Raises:
        ValueError: The node is not a dict, or does not have the key exactly once.
    """
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    values = [value for at, value in pairs if isinstance(at, ast.Constant) and at.value == key]
    if len(values) != 1:
        raise ValueError(
            f"{source}, line {node.lineno}: expected a dict with the key {key!r} exactly once"
        )
    return values[0]


def _definition(scope: Scope, name: str) -> Scope | None:
    definitions = [
        statement
        for statement in scope.body
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and statement.name == name
    ]
    return definitions[0] if len(definitions) == 1 else None


def _assigned_in(scope: Scope, name: str) -> dict[str, ast.expr]:
    """Return the only value assigned to a name or an attribute of `self`, by name; else nothing.

    An empty text does not count as a second value, because it is only a default.
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
    """Return the value of the n-th of several assignments to a name, in the order of the file."""
    name, place, due = asked[1], int(asked[2]), int(asked[3])
    matching = [
        statement
        for statement in ast.walk(scope)
        if isinstance(statement, ast.Assign)
        and [_stored_name(target) for target in statement.targets] == [name]
    ]
    stored = sum(_stored_name(node) == name for node in ast.walk(scope))
    if not place <= due == len(matching) == stored:
        raise ValueError(
            f"{source} has {stored} assignments to {name!r}, of which {len(matching)} have the "
            f"form name = value; expected exactly {due}, all of this form, to read number {place} "
            f"for {dotted!r}"
        )
    return sorted(matching, key=lambda statement: statement.lineno)[place - 1].value


def _stored_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store() | ast.Del()):
            return name
    return None


MOST_PARTS = 10_000
"""Maximum parts of a constant; names that stand for lists of names could grow without end."""
HALF_A_PAIR = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which no text file can store."""


def read_constant(content: bytes, source: str, name: str) -> Any:
    """Return the value of a constant in a Python file; tuples become lists.

    A dotted name starts with the enclosing classes and functions. The assigned name follows, or the
    assigned attribute of `self`, and then the keys of a dict.

    >>> file = b"rule = 'Be brief.'; asked = [{'role': 'system', 'content': rule}]"
    >>> read_constant(file, "x.py", "asked")
    [{'role': 'system', 'content': 'Be brief.'}]

    Raises:
        ValueError: The file is not Python, or the name has no value, several values, or a value
            that is not made of plain texts.
    """
    with _depth_limited(source):
        reading, node = _find_constant(content, source, name)
        return reading.value(node)


def read_fstring(content: bytes, source: str, name: str) -> str:
    """Return the f-string that is assigned to a name, as a template for `str.format`.

    A slot is named after its variable or attribute; a slot with any other expression is numbered.

    >>> file = b"asked = f'{{}} {goal} {self.tools} {len(goal)}'"
    >>> read_fstring(file, "x.py", "asked")
    '{{}} {goal} {self_tools} {expression_3}'

    Raises:
        ValueError: The file is not Python, or no f-string is assigned to the name.
    """
    with _depth_limited(source):
        reading, node = _find_constant(content, source, name)
        return reading.fstring(node)


def read_items(content: bytes, source: str, name: str, keys: Sequence[str]) -> list[dict[str, str]]:
    """Find the list of dicts that is assigned to `name`; return each dict with only the given keys.

    >>> read_items(b"shots = [{'q': 'Who?', 'a': 'Ann', 'n': 1}]", "x.py", "shots", ["q", "a"])
    [{'q': 'Who?', 'a': 'Ann'}]

    Raises:
        ValueError: The file is not Python, or no such list is assigned to the name.
    """
    with _depth_limited(source):
        reading, node = _find_constant(content, source, name)
        return reading.items(node, keys)


@contextmanager
def _depth_limited(source: str) -> Iterator[None]:
    try:
        yield
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"{source} is nested too deeply to be read") from error


def _find_constant(content: bytes, source: str, name: str) -> "tuple[_Reading, ast.expr]":
    module = _module(content, source)
    place = place_of(module, source, name)
    return _Reading(assigned_alone(module), source), place


def _module(content: bytes, source: str) -> ast.Module:
    try:
        return ast.parse(content, filename=source)
    except SyntaxError as error:
        raise ValueError(f"{source}, line {error.lineno}, is not Python: {error.msg}") from error
    except ValueError as error:  # a null byte, or bytes that are not text
        raise ValueError(f"{source} is not Python: {error}") from error


@dataclass(slots=True)
class _Reading:
    """The state while a constant is read: the file, and the number of parts read so far."""

    assigned: Mapping[str, ast.expr]
    source: str
    parts: int = 0

    def value(self, node: ast.expr | None) -> Any:
        """Return the value of a node."""
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise ValueError(f"{self.source}: a constant has more than {MOST_PARTS} parts")
        match node:
            case ast.Constant(value=str(text)) if not HALF_A_PAIR.search(text):
                return text
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._text(left) + self._text(right)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.value(item) for item in items]
            case ast.Dict(keys=keys, values=values):
                return {
                    self._text(key): self.value(value)
                    for key, value in zip(keys, values, strict=True)
                }
            case ast.Name(id=name) if name in self.assigned and self._is_above(name, node):
                return self.value(self.assigned[name])
        raise ValueError(
            f"{self._place(node)} holds {_called(node)}, expected a plain text, or a list "
            f"or dict of texts; the file is read, never run"
        )

    def fstring(self, node: ast.expr) -> str:
        """Return an f-string as a template for `str.format`, with a name for each slot."""
        if not isinstance(node, ast.JoinedStr):
            raise ValueError(f"{self._place(node)} holds {_called(node)}, expected an f-string")
        slots = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        for slot in slots:
            if slot.conversion != -1 or slot.format_spec is not None:
                raise ValueError(
                    f"{self._place(slot)} has a format such as !r or :.2f, expected a plain "
                    "placeholder"
                )
        numbers = {id(slot): number for number, slot in enumerate(slots, start=1)}
        return "".join(
            f"{{{_slot_name(part.value, numbers[id(part)])}}}"
            if isinstance(part, ast.FormattedValue)
            else self._text(part).replace("{", "{{").replace("}", "}}")
            for part in node.values
        )

    def items(self, node: ast.expr, keys: Sequence[str]) -> list[dict[str, str]]:
        """Return each dict of a list with only these keys."""
        if not isinstance(node, ast.List | ast.Tuple):
            raise ValueError(f"{self._place(node)} holds {_called(node)}, expected a list of dicts")
        return [
            {key: self._text(dict_value(item, key, self.source)) for key in keys}
            for item in node.elts
        ]

    def _text(self, node: ast.expr | None) -> str:
        text = self.value(node)
        if not isinstance(text, str):
            raise ValueError(f"{self._place(node)} holds {_called(node)}, expected a plain text")
        return text

    def _is_above(self, name: str, node: ast.expr) -> bool:
        return _at(self.assigned[name]) < _at(node)

    def _place(self, node: ast.expr | None) -> str:
        return f"{self.source}, line {node.lineno}," if node else self.source


def _at(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _slot_name(node: ast.expr, number: int) -> str:
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return f"expression_{number}"
    return "_".join((node.id, *reversed(names)))


def _called(node: ast.expr | None) -> str:
    match node:
        case ast.JoinedStr():
            return "an f-string"
        case ast.Call():
            return "a call"
        case ast.Name(id=name):
            return f"the name {name!r}, to which no text is assigned above it"
    return f"a piece of code ({type(node).__name__})"
