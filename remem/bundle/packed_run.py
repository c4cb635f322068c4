"""A run on its way into a bundle: read from its folder, refused where it proves nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.adapters import adapter
from remem.bundle.layout import JUDGE, RunNotes
from remem.bundle.portable import VectorSource, portable
from remem.bundle.run_parts import malformed_config
from remem.bundle.settled import environment_of
from remem.bundle.sums import records_sum
from remem.html_report.restored import restored_config
from remem.html_report.run_data import read_timings
from remem.instantiation import UsageError, nodes
from remem.judgments import judgment_files
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile
from remem.store import Timing, read_manifest, read_records
from remem.strangers import CHAT_MODEL
from remem.types import Record


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run, its configuration as it travels, and where its calls and vectors lie.

    `resolved` is the configuration as it was run, with the results of here.
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


def read_packed_run(folder: Path, *, allow_stub: bool) -> PackedRun:
    """Read a run that is to be packed.

    Raises:
        UsageError: It is not to be packed: it is not finished, or a stub has answered it.
    """
    manifest, restored = read_manifest(folder), restored_config(folder)
    if "finished" not in manifest:
        raise UsageError(f"{folder} is not finished: the command that started it goes on with it")
    resolved = _with_results(manifest["config"], str(restored.results))
    if not allow_stub and _asked_a_stub(resolved):
        raise UsageError(f"{folder} was answered by {STUB}, which is no result: --allow-stub")
    packages = tuple(resolved["run"]["packages"])
    with malformed_config(str(folder)):
        config, vectors = portable(resolved, packages)
        calls = _call_store(resolved)
    records = read_records(folder)
    if not records:
        raise UsageError(f"{folder} has no records: there is nothing to pack")
    odd = [path.name for path in judgment_files(folder) if not JUDGE.fullmatch(path.name)]
    if odd:
        raise UsageError(f"{folder}: the judge's file {odd[0]!r} has a name that no bundle takes")
    return PackedRun(
        folder=folder,
        manifest=manifest,
        records=records,
        resolved=resolved,
        config=config,
        packages=packages,
        calls=calls,
        vectors=vectors,
        convention=restored.score_convention(),
    )


def _with_results(config: Mapping[str, Any], results: str) -> dict[str, Any]:
    """Let paths begin at the results of here, also when the folder was moved since."""
    written = str(config["paths"]["results"])

    def moved(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: moved(value) for key, value in node.items()}
        if isinstance(node, list):
            return [moved(value) for value in node]
        inside = isinstance(node, str) and (node == written or node.startswith(f"{written}/"))
        return results + node.removeprefix(written) if inside else node

    return {name: moved(group) for name, group in config.items()}


def _asked_a_stub(resolved: Mapping[str, Any]) -> bool:
    asking = [node for node in nodes(resolved) if node.get("model") == STUB]
    return bool(asking) or resolved["llm"]["name"] == STUB


def _call_store(resolved: Mapping[str, Any]) -> str | None:
    """Return the call store of the run's one model; None where it asked none."""
    roles: Sequence[Any] = [resolved[name]["build"] for name in ("dataset", "method", "reader")]
    stores = {str(node["store"]) for node in nodes(roles) if node["_target_"] == CHAT_MODEL}
    if len(stores) > 1:
        raise UsageError(f"the run asked models of {len(stores)} call stores, expected one")
    return next(iter(stores), None)
