"""The configuration of a run's judge: its model is that of the run, unless an override names one.

A manifest may come from somebody else, so only plain settings of its endpoint are taken, and no
key is sent to an address that only the manifest names.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config.conf_files import conf_file
from remem.config.instantiation import UsageError
from remem.config.override_text import quoted
from remem.config.run_config import RunConfig, compose_config, configure, run_config
from remem.llm.openai_endpoint import SETTINGS, needs_key
from remem.run.opened_run import Run

MODELS = ("llm", "llm@judge_llm")
"""The keys of overrides that name the model of a judge."""
SERVED = "openai_compatible"
"""The choice of conf/llm for a served model whose name is the user's."""


def judge_config(run: Run, overrides: Sequence[str]) -> RunConfig:
    """Return the configuration that judges a run, by default with judge=llm.

    Raises:
        UsageError: The judge needs a model, none is named, and that of the run cannot be used.
    """
    keys = {change.lstrip("+").partition("=")[0] for change in overrides}
    if keys & {*MODELS}:
        return run_config(compose_config(["judge=llm", *overrides]))
    of_run = _model_of(run.config)
    composed = compose_config(["judge=llm", *of_run, *overrides])
    build = composed.judge.get("build") or {}
    if "chat_model" in build and OmegaConf.is_interpolation(build, "chat_model"):
        if not of_run:
            raise UsageError(
                f"the judge needs a model, and that of the run (llm={run.config.llm}) cannot be "
                f"used: add one, such as llm=gpt-4.1-mini-2025-04-14; remem list llm lists them"
            )
        if f"{SETTINGS}.base_url" not in keys:
            _check_address(composed, run, of_run[0])
    return run_config(composed)


def told_model(config: RunConfig, run: Run) -> str | None:
    """Return the sentence that names the judge's model; None if the judge asks none."""
    model = config.settings.judge.chat_model
    if model is None or model.endpoint.answering.model is None:
        return None
    asked, answering = model.endpoint.answering, run.config.settings.llm.chat_model.endpoint
    place = f" at {asked.base_url}" if asked.base_url else ""
    same = ", which also answered the run" if asked.model == answering.answering.model else ""
    return f"the judge's model is {asked.model}{place}{same}"


def _model_of(config: RunConfig) -> list[str]:
    """Return the overrides that choose the model of a run; none if conf cannot describe it."""
    llm = config.settings.llm
    if llm.build is None:
        return []
    choice = f"llm={llm.name if conf_file('llm', llm.name) else SERVED}"
    theirs, ours = _endpoint(llm.build), _endpoint(configure(choice).settings.llm.build or {})
    if theirs.get("server") != ours.get("server"):
        return []
    changes = {
        key: value
        for key, value in theirs.items()
        if key in ours.keys() - {"_target_", "key_variable"}
        and value != ours[key]
        and not isinstance(value, dict | list)
    }
    if any("${" in str(value) for value in changes.values()):
        return []
    return [choice, *(f"{SETTINGS}.{key}={_written(value)}" for key, value in changes.items())]


def _endpoint(build: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the endpoint that the replies of a model come from."""
    endpoint: Mapping[str, Any] = build["endpoint"]
    recorded: Mapping[str, Any] | None = endpoint.get("recorded")
    return recorded or endpoint


def _written(value: object) -> str:
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def _check_address(composed: DictConfig, run: Run, choice: str) -> None:
    """Raise UsageError if a key would be sent to an address that only the manifest names."""
    endpoint = composed.llm.build.endpoint
    address, variable = endpoint.get("base_url"), endpoint.get("key_variable")
    ours = compose_config([choice]).llm.build.endpoint.get("base_url")
    if address not in (None, ours) and needs_key(address) and os.environ.get(variable):
        raise UsageError(
            f"{run.folder} was answered at {address}, which is not the address of {choice}, and "
            f"the key in {variable} would be sent there; if you trust it, add "
            f"{SETTINGS}.base_url={address}"
        )
