"""Settings are read by name and type; one that is missing or wrong is named with its key."""

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
    cases = [
        (lambda tree: tree.pop("embedder"), "embedder is missing"),
        (
            lambda tree: tree["llm"].update(build=3),
            "llm.build is 3, expected a part with a _target_",
        ),
        (
            lambda tree: tree["judge"]["build"].update(chat_model={"prices": 3}),
            "judge.build.chat_model.prices is 3, expected text",
        ),
        (
            lambda tree: tree["runner"].update(workers=True),
            "runner.workers is True, expected a whole number of at least 1",
        ),
        (
            lambda tree: tree["run"].update(health="maybe"),
            "run.health is 'maybe', expected 'stop' or 'warn'",
        ),
        (
            lambda tree: tree["dataset"].update(scores=[]),
            r"dataset.scores is \[\], expected at least 1 value",
        ),
        (
            lambda tree: tree["run"].update(packages="mine"),
            "run.packages is 'mine', expected a list",
        ),
        (lambda tree: tree.update(paths=[]), r"paths is \[\], expected a group of values"),
    ]
    for change, said in cases:
        tree = dict(composed("judge=llm", "llm=loopback-stub").resolved)
        change(tree)
        with pytest.raises(SettingsError, match=f"^{said}$"):
            read_settings(tree)
