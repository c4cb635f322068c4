"""What of a run may be built again from its folder, which may come from a stranger.

The rules are those of bundles: classes that `conf` names, no file outside of the run's places, no
model but stored replies, and packages that the command line admits.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from remem.bundle.allowed_names import STORED_VECTORS
from remem.bundle.portable import PLACES, localised, portable
from remem.config.instantiation import SharedInstance, UsageError
from remem.config.run_config import RunConfig

OF_TEXTS = ("dataset",)
OF_GRAPHS = ("dataset", "method", "llm")
OF_CALLS = ("dataset", "method", "reader", "llm")
SETTINGS = ("paths", "run", "runner")


def buildable(config: RunConfig, folder: Path, groups: Sequence[str]) -> RunConfig:
    """Return a configuration whose parts of these groups may be built.

    Raises:
        UsageError: A part is one that a bundle could not name.
    """
    resolved = config.resolved
    packages = config.settings.run.packages
    named = {name: resolved[name] for name in (*SETTINGS, *groups)}
    places = {name: str(getattr(config.settings.paths, name)) for name in PLACES}
    with naming_manifest(folder):
        packed, sources = portable(named, packages)
        local = localised(packed, places, packages)
    local = _in_store(local, {source.table.model: source.model for source in sources})
    model = local.get("llm", {}).get("build")
    return replace(
        config,
        resolved={**resolved, **local},
        chat_model=None if model is None else SharedInstance(model),
    )


@contextmanager
def naming_manifest(folder: Path) -> Iterator[None]:
    """Say of what is refused, or has not the shape of ours, that the manifest of a run names it.

    Raises:
        UsageError: Something is refused.
    """
    try:
        yield
    except UsageError as error:
        raise UsageError(
            f"{folder}/manifest.json names something that is not allowed, since the run may come "
            f"from someone else: {error}"
        ) from error
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise UsageError(
            f"{folder}/manifest.json has a configuration that this version of remem does not "
            f"know: {error!r}"
        ) from error


def _in_store(node: Any, names: Mapping[str, str]) -> Any:
    """Return a configuration that reads vectors under the names they have outside of bundles."""
    if isinstance(node, list):
        return [_in_store(value, names) for value in node]
    if not isinstance(node, dict):
        return node
    inner = {key: _in_store(value, names) for key, value in node.items()}
    return inner | (
        {"model": names[node["model"]]} if node.get("_target_") == STORED_VECTORS else {}
    )
