"""The configuration of a run as it travels: places instead of paths, replies instead of models.

A model becomes what asks a call store alone, an embedder what reads stored vectors.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from remem.bundle.allowed_names import (
    RECORDED_SERVER,
    REPLAY_ENDPOINT,
    STORED_VECTORS,
    check_trusted,
)
from remem.bundle.layout import VectorTable
from remem.config.instantiation import (
    OURS,
    SharedInstance,
    UsageError,
    built,
    check_targets,
    nodes,
    with_present_modules,
)
from remem.config.places import placed
from remem.config.run_config import RunConfig
from remem.config.untrusted import CACHED_EMBEDDER, CHAT_MODEL, LOCAL_SERVER, WEIGHTS, is_outside

STORE = "cache/calls.sqlite"
"""Where calls and vectors lie in a folder of results."""
IN_RESULTS = "<results>/"
EMBEDDERS = "remem.embed."
"""Where the classes are of which conf composes embedders."""
PLACES = ("data", "results", "prompts")

Json = Any


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Where the vectors of a table come from when it is packed."""

    table: VectorTable
    store: str
    model: str


def portable(
    resolved: Mapping[str, Any], packages: Sequence[str]
) -> tuple[dict[str, Any], tuple[VectorSource, ...]]:
    """Return a resolved configuration without paths, models and secrets, and its vectors."""
    places = [(str(resolved["paths"][name]), f"<{name}>") for name in PLACES]
    places.sort(key=lambda place: len(place[0]), reverse=True)
    sources: dict[str, VectorSource] = {}

    def leaving(node: dict[str, Json]) -> dict[str, Json]:
        if node.get("_target_") == CACHED_EMBEDDER:
            vectors, source = _stored_vectors(node, packages, places)
            sources[source.table.model] = source
            return vectors
        if node.get("_target_") == LOCAL_SERVER:
            return _recorded_server(node)
        return _replaying(node) if node.get("_target_") == CHAT_MODEL else node

    config = _changed(dict(resolved), leaving, lambda text: placed(without_secrets(text), places))
    nothing: dict[str, Json] = {"packages": [], "model_code": [], "histories": None, "limit": None}
    config["run"] = {**config["run"], **nothing}
    config.pop("score", None)  # a bundle has our scores alone, which anyone can make again
    for name in ("llm", "judge_llm"):
        if "path" in (config.get(name) or {}):  # of weights, which their sha256 identifies
            config[name] = {**config[name], "path": None}
    check_trusted(config, packages, f"<results>/{STORE}")
    return config, tuple(sources.values())


def localised(
    config: Mapping[str, Any], places: Mapping[str, str], packages: Sequence[str]
) -> dict[str, Any]:
    """Return a configuration that has travelled, with the places and packages of here.

    Raises:
        UsageError: It asks for something that a bundle is not trusted with.
    """
    config = with_present_modules(config)
    check_trusted(config, packages, f"<results>/{STORE}")
    prefixes = [(f"<{name}>", places[name]) for name in PLACES]
    here: dict[str, Any] = _changed(
        dict(config), lambda node: node, lambda text: placed(text, prefixes)
    )
    here["run"] = {**here["run"], "packages": list(packages), "model_code": []}
    # No cluster: a bundle has no say in what is connected to.
    here["runner"] = threads(here["runner"]["workers"])
    # Not as the bundle names them: it has no say in where anything is read or written.
    here["paths"] = {**here["paths"], **{name: places[name] for name in PLACES}}
    return here


def threads(workers: int) -> dict[str, Any]:
    """Return the settings of the runner that replays: `conf/runner/threads.yaml` as it resolves."""
    build = {"_target_": "remem.run.thread_runner.ThreadRunner", "workers": workers}
    return {"name": "threads", "workers": workers, "build": build}


def replay_config(resolved: Mapping[str, Any]) -> RunConfig:
    """Return what runs a localised configuration; its names must lie within the results."""
    config = RunConfig(resolved, resolved)
    if config.settings.llm.build is not None:
        config = replace(config, chat_model=SharedInstance(config.settings.llm.build))
    config.run_folder("0")
    return config


def _stored_vectors(
    node: Mapping[str, Json], packages: Sequence[str], places: Sequence[tuple[str, str]]
) -> tuple[dict[str, Json], VectorSource]:
    """Return what reads an embedder's vectors instead of it; only its identity is asked for."""
    embedder = {**node["embedder"]}
    if "calls" in embedder:
        embedder["calls"] = None
    _check_embedder(embedder, packages, places)
    identity = json.dumps(built(embedder).identity, sort_keys=True)
    cache = node["cache"]
    table = VectorTable(hashlib.sha256(identity.encode()).hexdigest()[:12], cache["dimension"])
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
    """Refuse what is no embedder, or writes elsewhere: it is built, so that it can be named."""
    for node in nodes(embedder):
        folder = placed(str(node.get("folder", IN_RESULTS)), places)
        if not folder.startswith(IN_RESULTS) or is_outside(folder):
            raise UsageError(
                f"an embedder names the folder {folder[:200]!r}, expected one in the results"
            )
        target = str(node["_target_"])
        if not target.startswith(EMBEDDERS) and target.split(".", maxsplit=1)[0] not in packages:
            raise UsageError(
                f"_target_ {target!r} is not part of one of our embedders; if it belongs to a "
                f"package of your own, add --package <package>"
            )
    check_targets("embedder", embedder, (*OURS, *packages))


def _recorded_server(node: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a server is known by; nothing but a server and its weights is built for it."""
    check_targets("llm", node, OURS)
    named = {str(one["_target_"]) for one in nodes(node)}
    if not named <= {LOCAL_SERVER, *WEIGHTS}:
        raise UsageError(f"found {sorted(named)} for a local model, expected a server and weights")
    return {"_target_": RECORDED_SERVER, "identity": dict(built(node).identity)}


def _replaying(node: dict[str, Json]) -> dict[str, Json]:
    endpoint = node["endpoint"]
    if endpoint["_target_"] != REPLAY_ENDPOINT:
        endpoint = {"_target_": REPLAY_ENDPOINT, "recorded": endpoint}
    changes = {"endpoint": endpoint, "store": f"<results>/{STORE}", "budget_dollars": None}
    return {**node, **changes}


def _changed(
    node: Json,
    mapping: Callable[[dict[str, Json]], dict[str, Json]],
    text: Callable[[str], str],
) -> Json:
    """Return a copy with other mappings, and then with other texts in it."""
    if isinstance(node, dict):
        return {key: _changed(value, mapping, text) for key, value in mapping(node).items()}
    if isinstance(node, list):
        return [_changed(value, mapping, text) for value in node]
    return text(node) if isinstance(node, str) else node


def without_secrets(text: str) -> str:
    """Take user, password and query out of an address: they may be a key."""
    if not text.startswith(("http://", "https://")):
        return text
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()
