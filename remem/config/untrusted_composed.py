"""Check the sizes and models in a configuration that was composed with untrusted files.

An untrusted file may change a single number in a default configuration, or refer to another
setting. The effect is only visible after composition.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from yaml import YAMLError

from remem.config.config_dir import refusal
from remem.config.instantiation import nodes
from remem.config.permissions import live_classes
from remem.config.untrusted import Refused, fills_memory, node_refusal
from remem.errors import UsageError

GROUPS = (
    *("dataset", "method", "reader", "llm", "judge", "convention"),
    *("paths", "runner", "logger", "run"),
)
"""Sections of every configuration: choices of `conf`, and the run settings of conf/config.yaml."""
LONGEST_SHOWN, LONGEST_REASON = 80, 200
MOST_LEVELS = 50
"""Maximum nesting, five times that of `conf`."""


@contextmanager
def composing() -> Iterator[None]:
    """Convert composition errors, such as YAML that is nested too deeply, to UsageError.

    Raises:
        UsageError: The configuration cannot be composed.
    """
    try:
        yield
    except (YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())[:LONGEST_REASON]
        raise UsageError(f"the configuration cannot be composed: {reason}") from error


def check_groups(config: DictConfig) -> None:
    """Raise an error if a group of settings is missing.

    Raises:
        UsageError: A group is missing, or is not a group of settings.
    """
    for group in GROUPS:
        choice = config.get(group)
        if not OmegaConf.is_dict(choice):
            shown = "missing" if choice is None else repr(choice)[:LONGEST_SHOWN]
            raise UsageError(f"{group} is {shown}, expected a group of settings")


def check_values(resolved: Mapping[str, Any]) -> None:
    """Raise an error for non-JSON values, deep nesting, and a runner that cannot be built.

    Raises:
        UsageError: The configuration has one of these.
    """
    _check_depth(resolved)
    _check_plain(resolved, "")
    build = resolved["runner"].get("build")
    if not isinstance(build, dict) or "_target_" not in build:
        raise UsageError(
            f"runner.build is {repr(build)[:LONGEST_SHOWN]}, expected a part with a _target_"
        )


def _check_plain(node: Any, where: str) -> None:
    """Raise an error for keys that are not strings and for non-JSON values such as bytes."""
    if isinstance(node, dict):
        for key, value in node.items():
            if not isinstance(key, str):
                raise UsageError(
                    f"{where or 'the configuration'} has the key {key!r}, which is not text"
                )
            _check_plain(value, f"{where}.{key}".lstrip("."))
        if not isinstance(node.get("_target_", ""), str):
            raise UsageError(f"{where}._target_ is not text")
    elif isinstance(node, list):
        for value in node:
            _check_plain(value, where)
    elif not isinstance(node, str | int | float | None):
        raise UsageError(f"{where} is of type {type(node).__name__}, expected text or a number")


def _check_depth(resolved: Mapping[str, Any]) -> None:
    level: list[Any] = [dict(resolved)]
    for _ in range(MOST_LEVELS):
        nodes = (node.values() if isinstance(node, dict) else node for node in level)
        level = [part for node in nodes for part in node if isinstance(part, dict | list)]
        if not level:
            return
    raise UsageError(f"the configuration is nested more than {MOST_LEVELS} levels deep")


def at_least_one(key: str, value: object) -> int:
    """Return the value of a key if it is an integer of at least 1.

    Raises:
        UsageError: The value is anything else.
    """
    if not isinstance(value, int) or value < 1:
        raise UsageError(f"{key} is {value!r}, expected a whole number of at least 1")
    return value


OF_MODELS = ("llm", "judge_llm", "embedder")
"""The groups that name models; other parts refer to them."""


def check_together(path: Path, resolved: Mapping[str, Any], remedy: str) -> None:
    """Raise an error if a configuration with untrusted files has implausible sizes or models.

    Args:
        path: The untrusted folder or file.
        resolved: The configuration composed with `path`, with all references resolved.
        remedy: How the command line can allow a forbidden setting.

    Raises:
        UsageError: A number or generated data would fill the memory, or a part uses a model that is
            not the choice of `llm`, `judge_llm` or `embedder`.
    """
    models = {group: resolved[group] for group in OF_MODELS if group in resolved}
    # First the places that name a model, then the parts that refer to it.
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
                f"{'.'.join(path)}._target_ is {str(value)[:80]!r}; expected the name of a class, "
                f"not a reference"
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
