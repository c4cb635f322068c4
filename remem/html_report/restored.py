"""The configuration of a run that has been, put together again from its manifest.

Hydra is not asked: the folder of a run tells all, whatever `conf` holds by now.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.config import RunConfig
from remem.instantiation import SharedPart, UsageError
from remem.manifest_shape import check_configured
from remem.report.table import SHOWN_SCORES
from remem.store import read_manifest

MODELS = ("llm", "judge_llm", "embedder")
"""The groups whose `identity` stands for them wherever a run is named."""


def restored_config(folder: Path, packages: Sequence[str] = ()) -> RunConfig:
    """Return the configuration of the run in a folder; its results are those around the folder.

    Args:
        folder: The run. It may be a stranger's, so its manifest admits no code.
        packages: Those whose classes it may name.

    Raises:
        UsageError: The folder holds no run.
    """
    manifest = read_manifest(folder)
    try:
        check_configured(manifest)
        _check_scores(manifest["config"]["dataset"]["scores"])
    except ValueError as error:
        raise UsageError(
            f"{folder} has no manifest.json with the configuration of a run ({error}): is it a run?"
        ) from error
    resolved = manifest["config"]
    paths = {**resolved["paths"], "results": _results(folder, resolved["paths"]["results"])}
    llm = resolved["llm"]
    admitted: dict[str, list[str]] = {"packages": list(packages), "model_code": []}
    return RunConfig(
        {**resolved, "paths": paths, "run": {**resolved["run"], **admitted}},
        _located_nowhere(resolved),
        SharedPart(llm["build"]) if "build" in llm else None,
    )


def _check_scores(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in SHOWN_SCORES]
    if unknown:
        raise ValueError(f"unknown score {unknown[0][:80]!r}; known are {', '.join(SHOWN_SCORES)}")


def _results(folder: Path, written: str) -> str:
    """Return the folder that holds runs and cache, also when it was moved since."""
    above = folder.resolve().parents
    return str(above[3]) if len(above) > 3 and above[2].name == "runs" else written


def _located_nowhere(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Take the paths out, and put models by their identity, as in `run_config`."""
    chosen = [resolved[name] for name in MODELS if resolved.get(name) is not None]
    named = [
        (model["build"], model["identity"])
        for model in chosen
        if "identity" in model and "build" in model
    ]
    places = sorted((str(place) for place in resolved["paths"].values()), key=len, reverse=True)

    def nowhere(node: Any) -> Any:
        for build, identity in named:
            if node == build:
                return identity
        if isinstance(node, Mapping):
            return {key: nowhere(value) for key, value in node.items()}
        if isinstance(node, list):
            return [nowhere(value) for value in node]
        return _without_place(node, places) if isinstance(node, str) else node

    return {name: nowhere(group) for name, group in resolved.items()}


def _without_place(text: str, places: list[str]) -> str:
    for place in places:
        if text == place or text.startswith(f"{place}/"):
            return text.removeprefix(place)
    return text
