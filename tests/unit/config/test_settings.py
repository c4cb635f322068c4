"""Settings are read by name and type; the error for a missing or wrong one names its key."""

from collections.abc import Mapping
from typing import Any

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.settings import read_settings
from remem.errors import SettingsError


def composed(*overrides: str) -> RunConfig:
    return run_config(compose_config(overrides))


def test_a_model_that_is_replayed_is_known_by_what_was_recorded() -> None:
    llm = composed("llm=replay", "llm@llm.recorded=gpt-4.1-mini-2025-04-14").settings.llm
    assert llm.chat_model.endpoint.model is None
    assert llm.chat_model.endpoint.answering.model == "gpt-4.1-mini-2025-04-14"
    assert llm.identity.model == "gpt-4.1-mini-2025-04-14"


def test_without_a_model_and_a_judge_there_is_nothing_to_build() -> None:
    settings = composed().settings
    assert (settings.llm.build, settings.judge.build, settings.judge_llm) == (None, None, None)


def test_the_judge_may_ask_a_model_of_its_own() -> None:
    settings = composed("judge=llm", "llm=loopback-stub", "llm@judge_llm=gpt-5-chat").settings
    assert settings.judge.chat_model is not None
    assert settings.judge.chat_model.endpoint.model == "gpt-5-chat-latest"
    assert settings.llm.chat_model.endpoint.model == "loopback-stub"


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
