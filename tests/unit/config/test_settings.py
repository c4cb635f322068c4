"""Settings are read by name and type; the error for a missing or wrong one names its key."""

from collections.abc import Mapping
from typing import Any

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.settings import read_settings
from remem.errors import SettingsError


def composed(*overrides: str) -> RunConfig:
    return run_config(compose_config(overrides))


def test_a_setting_that_is_missing_or_wrong_is_named() -> None:
    tree = composed("judge=llm", "llm=loopback-stub").resolved
    cases: list[tuple[str, object, str]] = [
        ("llm.build", 3, "3, expected a part with a _target_"),
        ("judge.build.chat_model.prices", 3, "3, expected text"),
        ("runner.workers", True, "True, expected a whole number of at least 1"),
        ("run.health", "maybe", "'maybe', expected 'stop' or 'warn'"),
        ("dataset.scores", [], r"\[\], expected at least 1 value"),
        ("run.packages", "mine", "'mine', expected a list"),
        ("paths", [], r"\[\], expected a group of values"),
    ]
    for key, value, said in cases:
        with pytest.raises(SettingsError, match=f"^{key} is {said}$"):
            read_settings(changed(tree, key.split("."), value))
    with pytest.raises(SettingsError, match=r"^embedder is missing$"):
        read_settings({group: tree[group] for group in tree if group != "embedder"})


def changed(tree: Mapping[str, Any], path: list[str], value: object) -> dict[str, Any]:
    """Return a copy of a tree with another value at a path."""
    first, *rest = path
    return {**tree, first: changed(tree[first], rest, value) if rest else value}
