"""Check that parts of a stored run are safe to build again, since its folder may be untrusted.

The rules are those of bundles. A class is allowed only if `conf` names it or the command
line allows its package. Files must be inside the run's folders. Stored replies replace the models.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from remem.bundle.allowed_names import STORED_VECTORS
from remem.bundle.portable import PLACES, localised, portable
from remem.config.instantiation import (
    SharedInstance,
    check_targets,
    instantiate_checked,
    rewritten,
)
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.llm.chat_model import StoredChatModel
from remem.llm.replay import ReplayEndpoint
from remem.protocols import ChatModel

OF_TEXTS = ("dataset",)
OF_GRAPHS = ("dataset", "method", "llm")
OF_CALLS = ("dataset", "method", "reader", "llm")
SETTINGS = ("paths", "run", "runner")


def buildable(config: RunConfig, folder: Path, groups: Sequence[str]) -> RunConfig:
    """Return the configuration of a run, changed so that the given groups are safe to build.

    Args:
        config: The configuration of the run.
        folder: The folder of the run, for error messages.
        groups: The configuration groups to build, such as `dataset`.

    Raises:
        UsageError: One of the groups names something that a bundle may not name.
    """
    resolved = config.resolved
    packages = config.settings.run.packages
    named = {name: resolved[name] for name in (*SETTINGS, *groups)}
    places = {name: str(getattr(config.settings.paths, name)) for name in PLACES}
    with naming_manifest(folder):
        packed, sources = portable(named, packages)
        local = localised(packed, places, packages)
    own_names = {source.table.model: source.model for source in sources}

    def in_store(node: dict[str, Any]) -> dict[str, Any]:
        stored = node.get("_target_") == STORED_VECTORS
        return {**node, "model": own_names[node["model"]]} if stored else node

    local = rewritten(local, in_store)
    model = local.get("llm", {}).get("build")
    return replace(
        config,
        resolved={**resolved, **local},
        chat_model=None if model is None else SharedInstance(model),
    )


def stored_replies(shared: SharedInstance, packages: Sequence[str]) -> ChatModel:
    """Return a model that answers only with the stored replies of a run.

    Args:
        shared: The model of the run.
        packages: The packages whose classes may be built.

    Raises:
        FileNotFoundError: The call store is missing.
    """
    build = shared.build
    check_targets("llm", build, packages)
    store = Path(build["store"])
    if not store.is_file():
        raise FileNotFoundError(f"no call store at {store}: restore it to use the calls of the run")
    return StoredChatModel(
        endpoint=ReplayEndpoint(recorded=instantiate_checked(build["endpoint"])),
        store=str(store),
        attempts=build["attempts"],
        repeat=build["repeat"],
        budget_dollars=None,
        prices=build["prices"],
    )


@contextmanager
def naming_manifest(folder: Path) -> Iterator[None]:
    """Turn errors about the configuration of a run into errors that name its manifest.

    Raises:
        UsageError: The code in the `with` block refused the configuration, or found it malformed.
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
