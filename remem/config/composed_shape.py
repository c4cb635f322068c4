"""What a composed configuration must be like before anything looks into it.

A file of `--config-dir` or an override such as `~judge` can remove a group or make it a text.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from omegaconf import DictConfig, OmegaConf
from yaml import YAMLError

from remem.config.instantiation import UsageError

GROUPS = (
    *("dataset", "method", "reader", "llm", "judge", "convention"),
    *("paths", "runner", "logger", "run"),
)
"""What every configuration has: choices of `conf`, and what conf/config.yaml says of the run."""
NAMED = (
    *(("dataset", "name"), ("method", "name"), ("method", "label")),
    *(("reader", "name"), ("llm", "name"), ("judge", "name")),
)
"""What runs, tables and messages are named by."""
BUILT = ("dataset", "method", "reader", "runner")
"""The groups of which every run builds a part."""
LONGEST_SHOWN, LONGEST_REASON = 80, 200
MOST_LEVELS = 50
"""Five times as many as `conf` has."""


@contextmanager
def composing() -> Iterator[None]:
    """Tell of what no configuration can be composed of, such as YAML that is nested too deeply.

    Raises:
        UsageError: It cannot.
    """
    try:
        yield
    except (YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())[:LONGEST_REASON]
        raise UsageError(f"the configuration cannot be composed: {reason}") from error


def check_groups(config: DictConfig) -> None:
    """Refuse a configuration without one of its groups of settings.

    Raises:
        UsageError: A group is missing, or is not a group of settings.
    """
    for group in GROUPS:
        found = config.get(group)
        if not OmegaConf.is_dict(found):
            shown = "missing" if found is None else repr(found)[:LONGEST_SHOWN]
            raise UsageError(f"{group} is {shown}, expected a group of settings")


def check_values(resolved: Mapping[str, Any]) -> None:
    """Refuse scores that are no list, a judge without a chat model, and what is nested too deeply.

    Raises:
        UsageError: There is one of these.
    """
    _check_depth(resolved)
    _check_plain(resolved, "")
    for group, key in NAMED:
        named = resolved[group].get(key)
        if not isinstance(named, str):
            raise UsageError(f"{group}.{key} is {repr(named)[:LONGEST_SHOWN]}, expected text")
    for group in BUILT:
        build = resolved[group].get("build")
        if not isinstance(build, dict) or not isinstance(build.get("_target_"), str):
            raise UsageError(
                f"{group}.build is {repr(build)[:LONGEST_SHOWN]}, expected a part with a _target_"
            )
    for part in ("score", "run"):
        if not isinstance(resolved["convention"].get(part), dict):
            raise UsageError(f"convention.{part} is missing or not a group of settings")
    scores = resolved["dataset"].get("scores")
    if not isinstance(scores, list):
        raise UsageError(
            f"dataset.scores is {repr(scores)[:LONGEST_SHOWN]}, expected a list such as [f1]"
        )
    judge = resolved["judge"].get("build", {"chat_model": None})
    if not isinstance(judge, dict) or "chat_model" not in judge:
        raise UsageError(
            f"judge.build is {repr(judge)[:LONGEST_SHOWN]}, expected a part with a chat_model"
        )


def _check_plain(node: Any, where: str) -> None:
    """Refuse keys that are no texts, and values that JSON does not have, such as bytes."""
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
        nodes = (one.values() if isinstance(one, dict) else one for one in level)
        level = [part for node in nodes for part in node if isinstance(part, dict | list)]
        if not level:
            return
    raise UsageError(f"the configuration is nested in more than {MOST_LEVELS} levels")


def at_least_one(key: str, value: object) -> int:
    """Return a whole number of at least 1.

    Raises:
        UsageError: It is none.
    """
    if not isinstance(value, int) or value < 1:
        raise UsageError(f"{key} is {value!r}, expected a whole number of at least 1")
    return value
