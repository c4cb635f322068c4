"""Convert the configuration of a run to and from the form that a bundle stores.

In a bundle, names such as <data> replace the folders in paths, models only answer from a call
store, and embedders only read stored vectors.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from remem.bundle.allowed_names import (
    RECORDED_SERVER,
    STORED_VECTORS,
    check_trusted,
)
from remem.bundle.layout import PackedVectors
from remem.config.conf_files import REPLAY_ENDPOINT
from remem.config.instantiation import (
    OURS,
    SharedInstance,
    check_targets,
    instantiate_checked,
    nodes,
    rewritten,
    with_present_names,
)
from remem.config.permissions import CACHED_EMBEDDER, CHAT_MODEL, app_permissions
from remem.config.run_config import RunConfig
from remem.config.run_path import placed
from remem.config.settings import our_scores
from remem.config.untrusted import is_outside
from remem.errors import UsageError

STORE = "cache/calls.sqlite"
"""The path of the store of calls and vectors, relative to the results folder."""
IN_RESULTS = "<results>/"
EMBEDDERS = "remem.embed."
"""The package of the embedder classes that `conf` names."""
PLACES = ("data", "results", "prompts")

Json = Any


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Vectors to pack: their table in the bundle, their store, and their model's name there."""

    table: PackedVectors
    store: str
    model: str


def portable(
    resolved: Mapping[str, Any], packages: Sequence[str]
) -> tuple[dict[str, Any], tuple[VectorSource, ...]]:
    """Return a configuration without local paths, models and secrets, and its vector sources.

    Raises:
        UsageError: It names something that a bundle may not name.
    """
    places = [(str(resolved["paths"][name]), f"<{name}>") for name in PLACES]
    places.sort(key=lambda place: len(place[0]), reverse=True)
    sources: dict[str, VectorSource] = {}

    def leaving(node: dict[str, Json]) -> dict[str, Json]:
        if node.get("_target_") == CACHED_EMBEDDER:
            vectors, source = _stored_vectors(node, packages, places)
            sources[source.table.model] = source
            return vectors
        if node.get("_target_") in app_permissions().serving:
            return _recorded_server(node)
        return _replaying(node) if node.get("_target_") == CHAT_MODEL else node

    config = rewritten(resolved, leaving, lambda text: placed(without_secrets(text), places))
    nothing: dict[str, Json] = {"packages": [], "model_code": [], "histories": None, "limit": None}
    config["run"] = {**config["run"], **nothing}
    _leave_out_added_scores(config)
    for name in ("llm", "judge_llm"):
        if "path" in (config.get(name) or {}):  # the weights are identified by their sha256
            config[name] = {**config[name], "path": None}
    check_trusted(config, packages, f"<results>/{STORE}")
    return config, tuple(sources.values())


def localised(
    config: Mapping[str, Any], places: Mapping[str, str], packages: Sequence[str]
) -> dict[str, Any]:
    """Return the configuration of a bundle with local paths and packages.

    Args:
        config: The configuration, as packed.
        places: The local folders of data, results and prompts.
        packages: Further packages whose classes it may name.

    Raises:
        UsageError: It names something that a bundle may not name.
    """
    config = with_present_names(config)
    check_trusted(config, packages, f"<results>/{STORE}")
    prefixes = [(f"<{name}>", places[name]) for name in PLACES]
    here: dict[str, Any] = rewritten(config, dict, lambda text: placed(text, prefixes))
    batch = {"packages": list(packages), "model_code": [], "stream": None}
    here["run"] = {**here["run"], **batch}
    # Always threads: a bundle must not choose a cluster to connect to.
    here["runner"] = threads(here["runner"]["workers"])
    # Always the local folders: a bundle must not choose where files are read or written.
    here["paths"] = {**here["paths"], **{name: places[name] for name in PLACES}}
    return here


def _leave_out_added_scores(config: dict[str, Json]) -> None:
    """Remove the user's own scores, because a bundle does not contain their functions."""
    added = config.pop("score", None) or {}
    if not added or "dataset" not in config:
        return
    shown = [name for name in config["dataset"]["scores"] if name not in added]
    config["dataset"] = {**config["dataset"], "scores": shown or [our_scores()[0].name]}


def threads(workers: int) -> dict[str, Any]:
    """Return the runner settings of a replay: `conf/runner/threads.yaml`, resolved."""
    build = {"_target_": "remem.run.thread_runner.ThreadRunner", "workers": workers}
    return {"name": "threads", "workers": workers, "build": build}


def replay_config(resolved: Mapping[str, Any]) -> RunConfig:
    """Return the run of a localised configuration after checking the names in its folder path."""
    config = RunConfig(resolved, resolved)
    if config.settings.llm.build is not None:
        config = replace(config, chat_model=SharedInstance(config.settings.llm.build))
    config.run_folder("0")
    return config


def _stored_vectors(
    node: Mapping[str, Json], packages: Sequence[str], places: Sequence[tuple[str, str]]
) -> tuple[dict[str, Json], VectorSource]:
    """Return the configuration of stored vectors that replaces an embedder, and their source.

    The embedder is built to read its identity; it embeds nothing.
    """
    embedder = {**node["embedder"]}
    if "calls" in embedder:
        embedder["calls"] = None
    _check_embedder(embedder, packages, places)
    identity = json.dumps(instantiate_checked(embedder).identity, sort_keys=True)
    cache = node["cache"]
    table = PackedVectors(hashlib.sha256(identity.encode()).hexdigest()[:12], cache["dimension"])
    vectors = {
        "_target_": STORED_VECTORS,
        "identity": identity,
        "model": table.model,
        "dimension": table.dimension,
        "store": f"<results>/{STORE}",
    }
    return vectors, VectorSource(table, cache["store"], cache["model"])


def _check_embedder(
    embedder: Json, packages: Sequence[str], places: Sequence[tuple[str, str]]
) -> None:
    """Refuse a class that is not part of an embedder, or a folder outside the results.

    Raises:
        UsageError: A class or a folder is refused.
    """
    for node in nodes(embedder):
        folder = placed(str(node.get("folder", IN_RESULTS)), places)
        if not folder.startswith(IN_RESULTS) or is_outside(folder):
            raise UsageError(
                f"an embedder names the folder {folder[:200]!r}, expected a folder inside the "
                f"results"
            )
        target = str(node["_target_"])
        if not target.startswith(EMBEDDERS) and target.split(".", maxsplit=1)[0] not in packages:
            raise UsageError(
                f"_target_ {target!r} is not a part of an embedder of remem; if it belongs to your "
                "own package, add --package <package>"
            )
    check_targets("embedder", embedder, (*OURS, *packages))


def _recorded_server(node: Mapping[str, Json]) -> dict[str, Json]:
    """Return a node that has only the identity of a local server, which is built to read it.

    Raises:
        UsageError: The node names another class.
    """
    check_targets("llm", node, OURS)
    named = {str(child["_target_"]) for child in nodes(node)}
    if not named <= {*app_permissions().serving, *app_permissions().loading}:
        raise UsageError(
            f"a local model has the classes {sorted(named)}, expected only those of a server and "
            f"its weights"
        )
    return {"_target_": RECORDED_SERVER, "identity": dict(instantiate_checked(node).identity)}


def _replaying(node: dict[str, Json]) -> dict[str, Json]:
    endpoint = node["endpoint"]
    if endpoint["_target_"] != REPLAY_ENDPOINT:
        endpoint = {"_target_": REPLAY_ENDPOINT, "recorded": endpoint}
    changes = {"endpoint": endpoint, "store": f"<results>/{STORE}", "budget_dollars": None}
    return {key: value for key, value in {**node, **changes}.items() if key != "ledger"}


def without_secrets(text: str) -> str:
    """Return a URL without user, password, query and fragment, which may contain a key.

    Other texts are returned as they are.
    """
    if not text.startswith(("http://", "https://")):
        return text
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()
