"""Copy the calls and vectors that a run uses into a new store while it is replayed for packing.

A bundle therefore contains exactly the calls and vectors that its runs need. These classes are only
used for packing; the configuration inside a bundle never names them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.bundle.allowed_names import STORED_VECTORS
from remem.bundle.buildable import naming_manifest
from remem.bundle.layout import JUDGE, RunNotes
from remem.bundle.portable import VectorSource, portable
from remem.bundle.replayed_run import environment_of
from remem.bundle.replies_and_vectors import CallSource, VectorsByKey, keep_call
from remem.bundle.sums import records_sum
from remem.config.fingerprint import asks_stub
from remem.config.instantiation import nodes
from remem.config.permissions import CHAT_MODEL
from remem.config.run_config import RunConfig
from remem.config.settings import Settings
from remem.errors import UsageError
from remem.llm.call_store import CallStore
from remem.llm.endpoint import STUB, Endpoint
from remem.llm.replay import call_key, sent_json
from remem.llm.vector_store import VectorStore
from remem.metrics.convention import ScoreConvention
from remem.protocols import ChatModel, ChatReply, ChatRequest, Parsed
from remem.results.run import Run
from remem.results.verdicts import judgment_files
from remem.run.imported_answers import is_imported
from remem.run.memory_checks import packed_checks
from remem.run.store import Timing
from remem.types import Usage


class GatheringChatModel:
    """A chat model that copies each request's stored replies, then answers from the copies."""

    def __init__(
        self, *, chat_model: ChatModel, endpoint: Endpoint, repeat: int, store: str, source: str
    ) -> None:
        self._chat_model = chat_model
        self._endpoint = endpoint
        self._repeat = repeat
        self._store = CallStore(Path(store))
        self._source = CallSource(Path(source))
        self._lock = Lock()
        self._gathered: set[str] = set()

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Copy the source's replies to the request into the store, then answer from the store."""
        sent = sent_json(self._endpoint, request)
        with self._lock:
            for attempt in count():
                key = call_key(sent, self._repeat, attempt)
                if key not in self._gathered and not self._copied(key):
                    break
        return self._chat_model.ask(request, parse)

    def _copied(self, key: str) -> bool:
        call = self._source.find(key)
        if call is None:
            return False
        if self._store.received(key) is None:  # another run of the bundle has the same call
            keep_call(self._store, call)
        self._gathered.add(key)
        return True


class GatheringVectors(VectorsByKey):
    """An embedder that serves stored vectors and copies each served vector into a new store."""

    def __init__(
        self,
        *,
        identity: str,
        model: str,
        dimension: int,
        store: str,
        source: str,
        source_model: str,
    ) -> None:
        super().__init__(identity, dimension, self)
        self._target = VectorStore(store=store, model=model, dimension=dimension)
        if not Path(source).is_file():
            raise FileNotFoundError(
                f"no vector store at {source}; start this command in the folder where the run was "
                f"started"
            )
        self._source = VectorStore(store=source, model=source_model, dimension=dimension)
        self._lock = Lock()
        self._copied: set[str] = set()

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the source's vectors by key, and copy those that were not copied before."""
        vectors = self._source.get_many(keys)
        with self._lock:
            new = [key for key in vectors if key not in self._copied]
            there = self._target.get_many(new)  # another run of the bundle has the same vectors
            self._target.put_many({key: vectors[key] for key in new if key not in there})
            self._copied.update(new)
        return vectors


def gathering(
    resolved: Mapping[str, Any], source: str | None, vectors: Sequence[VectorSource]
) -> dict[str, Any]:
    """Return a configuration with which a replay copies the calls and vectors that it uses.

    Args:
        resolved: The localised configuration of the run.
        source: The call store of the run to pack; None if it asked no model.
        vectors: The vector stores of the run.
    """
    by_model = {vector.table.model: vector for vector in vectors}

    def changed(node: Any) -> Any:
        if isinstance(node, list):
            return [changed(value) for value in node]
        if not isinstance(node, dict):
            return node
        if node.get("_target_") == CHAT_MODEL:
            return _gathering_model(node, source)
        if node.get("_target_") == STORED_VECTORS:
            gatherer = by_model[node["model"]]
            where = {"source": gatherer.store, "source_model": gatherer.model}
            return {**node, "_target_": f"{__name__}.GatheringVectors", **where}
        return {key: changed(value) for key, value in node.items()}

    return {name: changed(group) for name, group in resolved.items()}


def _gathering_model(node: Mapping[str, Any], source: str | None) -> dict[str, Any]:
    return {
        "_target_": f"{__name__}.GatheringChatModel",
        "chat_model": node,
        "endpoint": node["endpoint"],
        "repeat": node["repeat"],
        "store": node["store"],
        "source": source,
    }


GROUPS = ("reader", "ablation", "llm", "embedder")
"""The groups, besides method and data, that appear in the name of a run's folder."""

Config = Mapping[str, Any]


def told_apart(labels: Sequence[str], configs: Sequence[Config]) -> tuple[str, ...]:
    """Return the labels; if runs share a label, add the config groups in which they differ."""
    same: defaultdict[str, list[Config]] = defaultdict(list)
    for label, config in zip(labels, configs, strict=True):
        same[label].append(config)
    return tuple(
        label + (_difference(config, same[label]) if len(same[label]) > 1 else "")
        for label, config in zip(labels, configs, strict=True)
    )


def _difference(config: Config, same: Sequence[Config]) -> str:
    differing = [group for group in GROUPS if len({_name(other, group) for other in same}) > 1]
    group_names = ", ".join(f"{group} {_name(config, group)}" for group in differing)
    return f" ({group_names})" if group_names else ""


def _name(config: Config, group: str) -> str:
    return str(config[group]["name"])


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run to pack, its portable configuration, and the stores of its calls and vectors.

    `convention` has only remem's own scores, because verification must recompute every score.
    """

    run: Run
    config: Mapping[str, Any]
    calls: str | None
    vectors: tuple[VectorSource, ...]
    convention: ScoreConvention

    @property
    def judges(self) -> list[Path]:
        """The files of the judgments of the run, one for each judge."""
        return judgment_files(self.run.folder)

    @property
    def left_out_scores(self) -> tuple[str, ...]:
        """The names of the user's own scores in the run, which a bundle does not contain."""
        return tuple(sorted(self.run.config.settings.score))

    def timings(self) -> list[Timing]:
        """Return how long the last attempt at each question took, in the order of the records."""
        timings = self.run.timings
        return [
            timings[record.query_id] for record in self.run.records if record.query_id in timings
        ]

    def notes(self) -> RunNotes:
        """Return the notes on the run that the bundle stores."""
        config, manifest = self.run.config, self.run.manifest
        return RunNotes(
            label=f"{config.label} on {config.dataset}",
            fingerprint=manifest.fingerprint,
            records_sha256=records_sum(self.run.records),
            data=manifest.data,
            prompts=manifest.prompts,
            judges=tuple(path.name for path in self.judges),
            environment=environment_of(manifest),
            memory_checks=packed_checks(self.run.folder),
        )


def read_packed_run(
    folder: Path, *, allow_stub: bool, packages: Sequence[str] = (), data: str | None = None
) -> PackedRun:
    """Read a run that is to be packed.

    Args:
        folder: The folder of the run.
        allow_stub: Whether to accept a run that a stub answered.
        packages: Further packages whose classes the run may name.
        data: The folder of the data sets; None means the folder of `conf`.

    Raises:
        UsageError: The run is unfinished, empty or answered by a stub, or it names something that
            a bundle may not name.
    """
    run = Run.open(folder, packages, data=data)
    if not run.manifest.finished:
        raise UsageError(f"{folder} is not finished; repeat the command that started it")
    if is_imported(run.config):
        raise UsageError(
            f"{folder} has imported answers, so a bundle would have nothing to replay; share the "
            f"file that they were imported from"
        )
    if run.config.is_stream:
        raise UsageError(
            f"{folder} is a run with run.stream=session, but a bundle cannot hold the answers from "
            f"before the last session; pack a run without run.stream instead: its answers are the "
            f"same as those after the last session"
        )
    by_stub = [path.name for path in judgment_files(folder) if STUB in path.name]
    if not allow_stub and by_stub:
        raise UsageError(
            f"{folder} has verdicts of {STUB} ({by_stub[0]}), which are not a result; delete the "
            "file, or pack it anyway with --allow-stub"
        )
    asked_a_stub = asks_stub(run.config.resolved) or run.config.settings.llm.name == STUB
    if asked_a_stub and not allow_stub:
        raise UsageError(
            f"{folder} was answered by {STUB}, so it is not a result; to pack it anyway, add "
            "--allow-stub"
        )
    with naming_manifest(folder):
        config, vectors = portable(run.config.resolved, packages)
        calls = _call_store(run.config.settings)
        _check_stores([calls, *(vector.store for vector in vectors)], run.config.results)
    if not run.records:
        raise UsageError(f"{folder} has no records, so there is nothing to pack")
    odd = [path.name for path in judgment_files(folder) if not JUDGE.fullmatch(path.name)]
    if odd:
        raise UsageError(
            f"{folder}: a bundle cannot hold the file of verdicts {odd[0]!r}, expected a name such "
            f"as judgments.llm-0123456789ab.jsonl"
        )
    return PackedRun(
        run=run,
        config=config,
        calls=calls,
        vectors=vectors,
        convention=RunConfig(config, config).score_convention(),
    )


def _call_store(settings: Settings) -> str | None:
    """Return the call store of the run's model, or None if the run has no model."""
    roles = [settings.dataset.build, settings.method.build, settings.reader.build]
    stores = sorted({str(node["store"]) for node in nodes(roles) if node["_target_"] == CHAT_MODEL})
    if len(stores) > 1:
        raise UsageError(
            f"the run used {len(stores)} call stores ({', '.join(stores)}), but a bundle holds the "
            f"calls of only one; run again with the same store for every model"
        )
    return next(iter(stores), None)


def _check_stores(stores: Sequence[str | None], results: Path) -> None:
    """Refuse to copy calls or vectors from a file outside the results folder."""
    for store in filter(None, stores):
        if not Path(store).resolve().is_relative_to(results.resolve()):
            raise UsageError(
                f"the store {store} is not in {results}; move it and its vectors there, and run "
                f"again with paths.results={results}"
            )
