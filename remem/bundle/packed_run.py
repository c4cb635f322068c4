"""A run on its way into a bundle: read from its folder, refused where it proves nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.bundle.buildable import naming_manifest
from remem.bundle.layout import JUDGE, RunNotes
from remem.bundle.portable import VectorSource, portable
from remem.bundle.replayed_run import environment_of
from remem.bundle.sums import records_sum
from remem.config.instantiation import UsageError, nodes
from remem.config.untrusted import CHAT_MODEL
from remem.evaluation.judgments import judgment_files
from remem.evaluation.restored_config import restored_config
from remem.evaluation.run_data import read_timings
from remem.files.adapters import adapter
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile
from remem.run.store import Timing, read_manifest, read_records
from remem.types import Record


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run, its configuration as it travels, and where its calls and vectors lie.

    `resolved` is the configuration as it was run, with the places of here.
    """

    folder: Path
    manifest: Mapping[str, Any]
    records: tuple[Record, ...]
    resolved: Mapping[str, Any]
    config: Mapping[str, Any]
    packages: tuple[str, ...]
    calls: str | None
    vectors: tuple[VectorSource, ...]
    convention: ScoreConvention

    @property
    def judges(self) -> list[Path]:
        """Return the files of the judges that have seen the run."""
        return judgment_files(self.folder)

    def timings(self) -> list[Timing]:
        """Return how long the last attempt at each question took."""
        timings = read_timings(self.folder)
        return [timings[one.query_id] for one in self.records if one.query_id in timings]

    def notes(self) -> RunNotes:
        """Return what the bundle says of the run."""
        data = adapter(tuple[DataFile, ...]).validate_python(self.manifest["data"])
        prompts = adapter(tuple[PromptSum, ...]).validate_python(self.manifest["prompts"])
        return RunNotes(
            label=f"{self.resolved['method']['label']} on {self.resolved['dataset']['name']}",
            fingerprint=self.manifest["fingerprint"],
            records_sha256=records_sum(self.records),
            data=data,
            prompts=prompts,
            judges=tuple(path.name for path in self.judges),
            environment=environment_of(self.manifest),
        )


def read_packed_run(
    folder: Path, *, allow_stub: bool, packages: Sequence[str] = (), data: str | None = None
) -> PackedRun:
    """Read a run that is to be packed.

    Args:
        folder: The run.
        allow_stub: Whether a stub may have answered it.
        packages: Those whose classes it may name.
        data: The folder of the data sets, where it is not that of conf.

    Raises:
        UsageError: It is not to be packed: it is not finished, a stub has answered it, or it names
            what is not built.
    """
    manifest, restored = read_manifest(folder), restored_config(folder, packages, data=data)
    if "finished" not in manifest:
        raise UsageError(f"{folder} is not finished; run the command that started it again")
    resolved = restored.resolved
    if not allow_stub and _asked_a_stub(resolved):
        raise UsageError(
            f"{folder} was answered by {STUB}, so it is not a result; --allow-stub packs it anyway"
        )
    with naming_manifest(folder):
        config, vectors = portable(resolved, packages)
        calls = _call_store(resolved)
        _check_stores([calls, *(one.store for one in vectors)], restored.results)
    records = read_records(folder)
    if not records:
        raise UsageError(f"{folder} has no records, so there is nothing to pack")
    odd = [path.name for path in judgment_files(folder) if not JUDGE.fullmatch(path.name)]
    if odd:
        raise UsageError(
            f"{folder}: the judge's file {odd[0]!r} has a name that a bundle does not allow"
        )
    return PackedRun(
        folder=folder,
        manifest=manifest,
        records=records,
        resolved=resolved,
        config=config,
        packages=tuple(packages),
        calls=calls,
        vectors=vectors,
        convention=restored.score_convention(),
    )


def _asked_a_stub(resolved: Mapping[str, Any]) -> bool:
    asking = [node for node in nodes(resolved) if node.get("model") == STUB]
    return bool(asking) or resolved["llm"]["name"] == STUB


def _call_store(resolved: Mapping[str, Any]) -> str | None:
    """Return the call store of the run's one model; None where it asked none."""
    roles: Sequence[Any] = [resolved[name]["build"] for name in ("dataset", "method", "reader")]
    stores = {str(node["store"]) for node in nodes(roles) if node["_target_"] == CHAT_MODEL}
    if len(stores) > 1:
        raise UsageError(f"the run used {len(stores)} call stores, expected one")
    return next(iter(stores), None)


def _check_stores(stores: Sequence[str | None], results: Path) -> None:
    """Refuse to copy calls or vectors out of a file that is not below the results."""
    for store in filter(None, stores):
        if not Path(store).resolve().is_relative_to(results.resolve()):
            raise UsageError(
                f"the store {store} is not in {results}; move it and its vectors there, and run "
                f"again with paths.results={results}"
            )
