"""Compute how large a configuration would become if its references were resolved.

For example, 27 keys that each refer twice to the previous key turn 2 kB into 100 million values.
OmegaConf resolves `${oc.env:NAME}` wherever it is written; only `conf` may read the environment.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from remem.config.conf_files import is_in_conf
from remem.errors import UsageError

PLAIN = re.compile(r"\$\{[\w.]+\}")
TOKEN = re.compile(r"\$\{|[${}]|[^${}]+")
HARMLESS = ("oc.select", "oc.dict.keys", "oc.dict.values", "now")
"""Resolvers that only read the configuration or the clock."""
LONGEST_SHOWN = 80
FILLED = "\0"
"""Placeholder for an interpolation that was already checked; texts of files may not contain it."""


def is_plain(text: str) -> bool:
    """Return whether all interpolations of a text are plain references.

    >>> is_plain("REMem-I (${planner.name})"), is_plain("${oc.env:HOME}")
    (True, False)
    """
    return "${" not in PLAIN.sub("", text)


def reads_outside(text: str) -> bool:
    r"""Return whether a text may read the environment, a file or the raw text of another node.

    The name of a resolver may itself be interpolated. So the result is True for every resolver
    that is not known to be harmless.

    >>> reads_outside("${oc.select:a.b,${c.d}}"), reads_outside("${oc.${a}:HOME}")
    (False, True)
    """
    begun: list[int] = []  # where each reference that is not yet closed begins to name something
    named: list[str] = []
    for token in TOKEN.findall(text):
        if token == "${":
            begun.append(len(named))
        elif token == "}" and begun:
            start = begun.pop()
            name, resolver, _ = "".join(named[start:]).partition(":")
            if resolver and name.strip() not in HARMLESS:
                return True
            named[start:] = [FILLED]
        elif begun and token in "${":
            return True  # it closes nothing, so the reference around it is not a plain one
        elif begun:
            named.append(token)
    return bool(begun)


def check_interpolations(tree: object, place: str = "") -> None:
    """Raise an error for texts outside our own conf that read the environment.

    Raises:
        UsageError: A text reads the environment; the message does not contain values.
    """
    if isinstance(tree, str):
        if "${" in tree and reads_outside(tree) and not is_in_conf(tree):
            raise UsageError(
                f"{place} is {tree[:LONGEST_SHOWN]!r}, an interpolation that only the conf of "
                f"remem may use (it reads the environment, or combines other values); write the "
                f"value itself instead"
            )
        return
    parts = (
        tree.items()
        if isinstance(tree, Mapping)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    for key, part in parts:
        check_interpolations(part, f"{place}.{key}" if place else str(key))


MOST_VALUES = 10_000
"""Maximum number of values, 30 times that of our configurations; OmegaConf needs a second."""
MOST_TEXT = 10_000_000
MOST_REFERRING = 100_000
"""Maximum length of all texts with references, in characters; they are the slowest to parse."""
MOST_LEVELS = 50
"""Maximum depth of nesting and of references to references that OmegaConf can follow."""
REFERENCE = re.compile(r"\$\{([^${}]*)\}")
PART = re.compile(r"[^.\[\]]+")

Json = Any
Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a resolved node: its number of values, length of text, and depth."""

    values: int = 1
    text: int = 0
    levels: int = 0

    def holding(self, part: "Size") -> "Size":
        """Return this size plus the size of a part one level below."""
        levels = max(self.levels, part.levels + 1)
        return Size(self.values + part.values, self.text + part.text, levels)


def check_composed_size(tree: Json) -> None:
    """Raise an error if resolving the references would make a configuration too large.

    Args:
        tree: The composed configuration as plain data, with references unresolved.

    Raises:
        UsageError: The configuration would have more than 10,000 values, 10 MB of text or 50
            levels, a key refers to itself, or the texts with references are too long. The message
            names the key.
    """
    counting = _Counting(tree)
    try:
        counting.size(())
    except RecursionError as error:
        raise UsageError(_too_deep("the references")) from error
    if counting.referring > MOST_REFERRING:
        raise UsageError(
            f"all values with references have {counting.referring:,} characters in total, expected "
            f"at most {MOST_REFERRING:,}; remove some references"
        )


@dataclass(slots=True)
class _Counting:
    tree: Json
    referring: int = 0
    sizes: dict[Place, Size | None] = field(default_factory=dict)
    landings: dict[Place, tuple[Place, int] | None] = field(default_factory=dict)

    def size(self, place: Place) -> Size:
        """Return the resolved size of the node at a path of keys; results are cached."""
        if place not in self.sizes:
            self.sizes[place] = None
            size = self._counted(place)
            _check(place, size)
            self.sizes[place] = size
        counted_size = self.sizes[place]
        if counted_size is None:
            raise UsageError(f"{_format_place(place)} refers to itself; write its value instead")
        return counted_size

    def _counted(self, place: Place) -> Size:
        node = self._at(place)
        if isinstance(node, str):
            return self._size_of_text(place, node)
        total = Size()
        for key in node if isinstance(node, dict) else range(len(node)) if _is_list(node) else ():
            total = total.holding(self.size((*place, str(key))))
        return total

    def _size_of_text(self, place: Place, text: str) -> Size:
        total = Size(1, len(text))
        self.referring += len(text) if "${" in text else 0
        for reference in _references(text):
            target, steps = self._target(place, reference)
            total = replace(total, values=total.values + steps)
            if target is not None:
                total = total.holding(self.size(target))
        return total

    def _target(self, place: Place, reference: str) -> tuple[Place | None, int]:
        """Return the target of a reference, and the number of references followed on the way."""
        climbed = len(reference) - len(reference.lstrip("."))
        target, steps = place[: max(0, len(place) - climbed)] if climbed else (), 0
        for part in PART.findall(reference):
            landed = self._landed(target)
            if landed is None:
                return None, steps + 1
            target, steps = (*landed[0], part), steps + landed[1]
        return target, steps

    def _landed(self, place: Place) -> tuple[Place, int] | None:
        """Return the place where a chain of references ends, and its length; None if unresolved."""
        node = self._at(place)
        if not isinstance(node, str):
            return place, 0
        if place not in self.landings:
            self.landings[place] = None  # a reference to itself leads nowhere
            self.landings[place] = self._followed(place, node)
        return self.landings[place]

    def _followed(self, place: Place, text: str) -> tuple[Place, int] | None:
        whole = REFERENCE.fullmatch(text.strip())
        target, steps = self._target(place, whole[1].strip()) if whole else (None, 0)
        landed = None if target is None else self._landed(target)
        if landed is None:
            return None
        result = landed[0], 1 + steps + landed[1]
        _check(place, Size(result[1]))
        return result

    def _at(self, place: Place) -> Json:
        node = self.tree
        for part in place:
            if isinstance(node, dict):
                node = node[part] if part in node else _by_text(node).get(part)
            else:
                at = int(part) if _is_list(node) and part.isdecimal() else -1
                node = node[at] if 0 <= at < len(node) else None
        return node


def _references(text: str) -> Iterator[str]:
    """Yield the innermost references of a text, and the nodes that its resolvers may refer to."""
    for match in REFERENCE.finditer(text):
        resolver, colon, arguments = match[1].partition(":")
        yield from (part.strip() for part in (arguments.split(",") if colon else [resolver]))


def _check(place: Place, size: Size) -> None:
    if size.levels > MOST_LEVELS:
        raise UsageError(_too_deep(_format_place(place)))
    for count, most, what in (
        (size.values, MOST_VALUES, "values"),
        (size.text, MOST_TEXT, "characters of text"),
    ):
        if count > most:
            raise UsageError(
                f"{_format_place(place)} would have {_rounded(count)} {what} once its references "
                f"are followed, expected at most {most:,}; use fewer references there"
            )


def _too_deep(what: str) -> str:
    return (
        f"the configuration is nested more than {MOST_LEVELS} levels deep once its references are "
        f"followed: {what[:200]}; write the values themselves there"
    )


def _rounded(count: int) -> str:
    return f"{count:,}" if count < 10**12 else "more than a trillion"


def _format_place(place: Place) -> str:
    return ".".join(place)[:200] or "the configuration"


def _is_list(node: Json) -> bool:
    return isinstance(node, list)


def _by_text(node: dict[Any, Json]) -> dict[str, Json]:
    return {str(key): value for key, value in node.items()}
