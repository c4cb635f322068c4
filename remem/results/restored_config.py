"""Restore the configuration of an earlier run from its manifest.

Hydra is not used: the run's folder is sufficient, even if `conf` has changed since.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from remem.config.conf_files import conf_folder, price_lists
from remem.config.instantiation import SharedInstance, nodes, with_present_names
from remem.config.run_config import RunConfig
from remem.config.run_path import placed
from remem.config.settings import our_scores, read_settings
from remem.config.suggestions import either
from remem.errors import UsageError
from remem.files.yaml_text import load_yaml
from remem.metrics.columns import REFUSAL_SCORES
from remem.run.run_manifest import RunManifest

log = logging.getLogger(__name__)

LONGEST_NAME = 200
NO_PRICES = ""
"""Placeholder for an unknown price list; the cost of the run is then unknown."""
MODELS = ("llm", "judge_llm", "embedder")
"""The groups that a run's name represents by their `identity`."""


def restored_config(
    folder: Path, manifest: RunManifest, packages: Sequence[str] = (), *, data: str | None = None
) -> RunConfig:
    """Return the configuration of the run in a folder; `paths.results` is derived from the folder.

    Args:
        folder: The folder of the run.
        manifest: The manifest of the run. A manifest may be untrusted, so it cannot allow code or
            set paths: data, prompts and price lists are taken from our own conf.
        packages: The packages whose classes the manifest is allowed to refer to.
        data: The folder of the data sets; None for the folder in conf.

    Raises:
        UsageError: The folder does not hold a run.
    """
    try:
        _check_configured(manifest)
    except ValueError as error:
        raise UsageError(
            f"{folder} is not a run: its manifest.json does not have the configuration of a run "
            f"({error})"
        ) from error
    resolved = with_present_names(manifest.config)
    _warn_of_price_lists(folder, resolved)
    local = _with_local_paths(resolved, _paths(folder, data))
    llm = local["llm"]
    admitted: dict[str, list[str]] = {"packages": list(packages), "model_code": []}
    return RunConfig(
        {**local, "run": {**local["run"], **admitted}},
        without_paths(resolved),
        SharedInstance(llm["build"]) if "build" in llm else None,
    )


def _check_configured(manifest: RunManifest) -> None:
    """Raise an error if a manifest has no configuration or an impossible one."""
    if manifest.missing:
        raise ValueError(f"{manifest.missing[0]} is missing")
    settings = read_settings(manifest.config)
    for key in settings.method.index_artefact or ():
        if key not in settings.method.build:
            raise ValueError(f"method.build.{key} is missing")
    ours = (score.name for score in our_scores())
    score_names = (*ours, *(manifest.config.get("score") or {}), *REFUSAL_SCORES)
    unknown = [name for name in settings.dataset.scores if name not in score_names]
    if unknown:
        raise ValueError(f"unknown score {unknown[0][:80]!r}; choose {either(score_names)}")


def _paths(folder: Path, data: str | None) -> dict[str, str]:
    """Return the paths of our own conf, with `results` set to the folder that holds the run."""
    paths = _own_paths(tuple(os.environ.items()))
    above = folder.resolve().parents
    in_runs = len(above) > 3 and above[2].name == "runs"
    results = str(above[3]) if in_runs else paths["results"]
    return {
        "data": data or paths["data"],
        "results": results,
        "prompts": placed(paths["prompts"], [(paths["results"], results)]),
    }


@lru_cache(maxsize=1)  # a list of runs needs them for every run
def _own_paths(_environment: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Return the paths of our own conf, which depend on environment variables."""
    from omegaconf import OmegaConf

    conf = load_yaml(conf_folder() / "paths" / "default.yaml")
    return {name: str(path) for name, path in OmegaConf.create({"paths": conf}).paths.items()}


def _with_local_paths(resolved: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Replace the paths of a configuration by local ones, and its price lists by ours."""
    moved = [(str(resolved["paths"][name]), place) for name, place in paths.items()]
    moved.sort(key=lambda place: len(place[0]), reverse=True)

    def here(node: Any, key: str = "") -> Any:
        if isinstance(node, str):
            unknown = key == "prices" and node not in price_lists()
            return NO_PRICES if unknown else placed(node, moved)
        if isinstance(node, Mapping):
            return {name: here(value, name) for name, value in node.items()}
        if isinstance(node, list):
            return [here(value) for value in node]
        return NO_PRICES if key == "prices" else node

    return {name: here(group) for name, group in resolved.items()} | {"paths": dict(paths)}


def _warn_of_price_lists(folder: Path, resolved: Mapping[str, Any]) -> None:
    """Warn about price lists that are not read."""
    named = {str(node["prices"]) for node in nodes(resolved) if node.get("prices")}
    for prices in sorted(named - price_lists()):
        log.warning(
            "%s names the price list %r, which is not in conf/prices; such a list is not read, "
            "since the run may come from someone else, so the cost of the run is not shown",
            folder,
            prices[:LONGEST_NAME],
        )


def without_paths(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without paths, in which `identity` replaces a model's `build`.

    `run_config` makes the same replacement.
    """
    chosen = [resolved[name] for name in MODELS if resolved.get(name) is not None]
    named = [
        (model["build"], model["identity"])
        for model in chosen
        if "identity" in model and "build" in model
    ]
    paths = sorted((str(path) for path in resolved["paths"].values()), key=len, reverse=True)
    places = [(path, "") for path in paths]

    def nowhere(node: Any) -> Any:
        for build, identity in named:
            if node == build:
                return identity
        if isinstance(node, str):
            return placed(node, places)
        if isinstance(node, Mapping):
            return {key: nowhere(value) for key, value in node.items()}
        return [nowhere(value) for value in node] if isinstance(node, list) else node

    return {name: nowhere(group) for name, group in resolved.items()}
