"""Check the shape of a composed configuration before anything reads it.

A file of `--config-dir` or an override such as `~judge` can remove a group or make it a text.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from omegaconf import DictConfig, OmegaConf
from yaml import YAMLError

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
    """Convert errors of composing, such as YAML that is nested too deeply, to UsageError.

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
        found = config.get(group)
        if not OmegaConf.is_dict(found):
            shown = "missing" if found is None else repr(found)[:LONGEST_SHOWN]
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
    raise UsageError(f"the configuration is nested in more than {MOST_LEVELS} levels")


def at_least_one(key: str, value: object) -> int:
    """Return the value of a key if it is an integer of at least 1.

    Raises:
        UsageError: The value is anything else.
    """
    if not isinstance(value, int) or value < 1:
        raise UsageError(f"{key} is {value!r}, expected a whole number of at least 1")
    return value
