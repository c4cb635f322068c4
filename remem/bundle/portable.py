"""The configuration of a run as it travels: places instead of paths, replies instead of models.

A model becomes what asks a call store alone, an embedder what reads stored vectors. Whoever reads
it back trusts it with nothing: it may name the classes that `conf` names, and no path of its own.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from remem.bundle.layout import VectorTable
from remem.config import OWN_PACKAGES, RunConfig, conf_folder
from remem.instantiation import SharedPart, UsageError, built, check_targets, nodes

CHAT_MODEL = "remem.llm.chat_model.StoredChatModel"
REPLAY_ENDPOINT = "remem.llm.replay.ReplayEndpoint"
CACHED_EMBEDDER = "remem.embed.cached.CachedEmbedder"
STORED_VECTORS = "remem.bundle.stored_vectors.StoredVectors"
REACHING_OUT = (
    CACHED_EMBEDDER,
    *("remem.embed.api.ApiEmbedder", "remem.embed.minilm.PackagedMiniLM"),
    "remem.embed.sentence_transformer.SentenceTransformerEmbedder",
    *("remem.llm.vector_store.VectorStore", "remem.llm.embedding_calls.StoredEmbeddingCalls"),
)
"""Classes of `conf` that load models, send something or write where they are told to."""
STORE = "cache/calls.sqlite"
"""Where calls and vectors lie in a folder of results."""
PLACES = ("data", "results", "prompts")
ONLY_NAMES = ("identity", "model")
"""Keys whose texts are opened by none of the classes that are let in."""
TARGET = re.compile(r"^\s*_target_: *([\w.]+)", re.MULTILINE)

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
            vectors, source = _stored_vectors(node, packages)
            sources[source.table.model] = source
            return vectors
        return _replaying(node) if node.get("_target_") == CHAT_MODEL else node

    config = _changed(dict(resolved), leaving, lambda text: _placed(without_secrets(text), places))
    config["run"] = {**config["run"], "packages": []}
    _check(config, packages, f"<results>/{STORE}")
    return config, tuple(sources.values())


def localised(
    config: Mapping[str, Any], places: Mapping[str, str], packages: Sequence[str]
) -> dict[str, Any]:
    """Return a configuration that has travelled, with the places and packages of here.

    Raises:
        UsageError: It asks for something that a bundle is not trusted with.
    """
    _check(config, packages, f"<results>/{STORE}")
    prefixes = [(f"<{name}>", places[name]) for name in PLACES]
    here: dict[str, Any] = _changed(
        dict(config), lambda node: node, lambda text: _placed(text, prefixes)
    )
    here["run"] = {**here["run"], "packages": list(packages)}
    return here


def replay_config(resolved: Mapping[str, Any]) -> RunConfig:
    """Return what runs a localised configuration; its names must lie within the results."""
    llm = resolved["llm"]
    config = RunConfig(resolved, resolved, SharedPart(llm["build"]) if "build" in llm else None)
    folder = config.run_folder("0")
    if ".." in folder.parts or not folder.is_relative_to(config.results / "runs"):
        raise UsageError(f"a run is named so that it would lie at {folder}: not replayed")
    return config


def _stored_vectors(
    node: Mapping[str, Json], packages: Sequence[str]
) -> tuple[dict[str, Json], VectorSource]:
    """Return what reads an embedder's vectors instead of it; only its identity is asked for."""
    embedder = dict(node["embedder"])
    if "calls" in embedder:
        embedder["calls"] = None
    check_targets("embedder", embedder, (*OWN_PACKAGES, *packages))
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


def _placed(text: str, places: Sequence[tuple[str, str]]) -> str:
    for before, after in places:
        if text == before or text.startswith(f"{before}/"):
            return after + text.removeprefix(before)
    return text


def without_secrets(text: str) -> str:
    """Take user, password and query out of an address: they may be a key."""
    if not text.startswith(("http://", "https://")):
        return text
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()


def _check(config: Mapping[str, Any], packages: Sequence[str], store: str) -> None:
    """Refuse classes and paths that a bundle has no business with, on either side."""
    targets = _allowed_targets()
    for node in nodes(config):
        target = str(node["_target_"])
        if target not in targets and target.split(".", maxsplit=1)[0] not in packages:
            raise UsageError(
                f"a bundle does not replay _target_ {target!r}; if it is of a package of your own, "
                f"name that with --package"
            )
        if node.get("store", store) != store:
            raise UsageError(f"a bundle names the store {node['store']!r}, expected {store}")
        if target == CHAT_MODEL and node["endpoint"]["_target_"] != REPLAY_ENDPOINT:
            raise UsageError("a bundle asks no model: expected its replies alone")
    for where, text in _texts(config, ""):
        if text.startswith(("/", "~", "\\")) or ".." in PurePath(text).parts:
            raise UsageError(
                f"a bundle names no file outside of the folders of data, results and prompts, "
                f"found {where[1:]} = {text[:200]!r}"
            )


def _allowed_targets() -> set[str]:
    """Return the classes that our own configuration names, and none that reaches out."""
    files = Path(conf_folder()).rglob("*.yaml")
    found = {target for file in files for target in TARGET.findall(file.read_text("utf-8"))}
    return (found | {STORED_VECTORS}) - set(REACHING_OUT)


def _texts(node: Json, where: str) -> list[tuple[str, str]]:
    """Return all texts of a configuration but those that only tell what a model is."""
    if isinstance(node, str):
        return [(where, node)]
    parts = node.items() if isinstance(node, Mapping) else enumerate(node if _is_list(node) else ())
    return [
        found
        for key, value in parts
        if key not in ONLY_NAMES
        for found in _texts(value, f"{where}.{key}")
    ]


def _is_list(node: Json) -> bool:
    return isinstance(node, list)
