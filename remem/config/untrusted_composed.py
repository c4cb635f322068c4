"""Checks of untrusted files on the composed configuration: sizes and models.

A file may change one number of a default or refer to another setting. Neither is visible in the
file alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.config.config_dir import refusal
from remem.config.instantiation import nodes
from remem.config.permissions import live_classes
from remem.config.untrusted import Refused, fills_memory, node_refusal
from remem.errors import UsageError

OF_MODELS = ("llm", "judge_llm", "embedder")
"""The groups that name models; other parts refer to them."""


def check_together(path: Path, resolved: Mapping[str, Any], remedy: str) -> None:
    """Raise an error if a configuration with untrusted files has implausible sizes or models.

    Args:
        path: The folder or the file.
        resolved: The configuration that was composed with it, all references followed.
        remedy: How the command line can allow it.

    Raises:
        UsageError: A number or generated data would fill the memory, or a part names a model of its
            own that the groups of models do not.
    """
    models = {group: resolved[group] for group in OF_MODELS if group in resolved}
    # First where a model is named, then the parts that refer to it.
    for refused in (*_sizes((), {**models, **resolved}), *_models(resolved, list(nodes(models)))):
        raise UsageError(refusal(path, refused, remedy))


def check_plain_targets(composed: object, path: Sequence[str] = ()) -> None:
    """Raise an error if a `_target_` in a configuration is a reference.

    Raises:
        UsageError: A `_target_` is interpolated.
    """
    for key, value in _parts(composed):
        if key == "_target_" and "${" in str(value):
            raise UsageError(
                f"{'.'.join(path)}._target_ is {str(value)[:80]!r}; expected the name of the "
                f"class itself"
            )
        check_plain_targets(value, (*path, key))


def _sizes(path: tuple[str, ...], node: object) -> Iterator[Refused]:
    if fills_memory(path[-1] if path else "", node) or (
        isinstance(node, dict) and "_target_" in node and node_refusal(node) == "size"
    ):
        yield Refused(".".join(path), "size", node)
    for name, value in _parts(node):
        yield from _sizes((*path, name), value)


def _models(resolved: Mapping[str, Any], chosen: Sequence[Mapping[str, Any]]) -> Iterator[Refused]:
    for group, settings in resolved.items():
        for node in nodes(settings):
            if node["_target_"] in live_classes() and node not in chosen:
                yield Refused(group, "model", node)


def _parts(node: object) -> Iterator[tuple[str, Any]]:
    """Yield the children of a node with their keys; items of a list have their index as key."""
    if isinstance(node, dict):
        yield from ((str(key), value) for key, value in node.items())
    elif isinstance(node, list):
        yield from ((str(at), value) for at, value in enumerate(node))
