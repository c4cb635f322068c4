"""Read a run that is to be packed; refuse an unfinished or empty run, or one from a stub.

Runs are labelled by method and data, and by other settings if these are equal.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.bundle.buildable import naming_manifest
from remem.bundle.layout import JUDGE, RunNotes
from remem.bundle.portable import VectorSource, portable
from remem.bundle.replayed_run import environment_of
from remem.bundle.sums import records_sum
from remem.config.fingerprint import asks_stub
from remem.config.instantiation import nodes
from remem.config.permissions import CHAT_MODEL
from remem.config.run_config import RunConfig
from remem.config.settings import Settings
from remem.errors import UsageError
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.results.run import Run
from remem.results.verdicts import judgment_files
from remem.run.imported_answers import is_imported
from remem.run.memory_checks import packed_checks
from remem.run.store import Timing

GROUPS = ("reader", "ablation", "llm", "embedder")
"""The groups, besides method and data, that appear in the name of a run's folder."""

Config = Mapping[str, Any]


def told_apart(labels: Sequence[str], configs: Sequence[Config]) -> tuple[str, ...]:
    """Append the groups in which runs differ to each label that several runs share."""
    same: defaultdict[str, list[Config]] = defaultdict(list)
    for label, config in zip(labels, configs, strict=True):
        same[label].append(config)
    return tuple(
        label + (_difference(config, same[label]) if len(same[label]) > 1 else "")
        for label, config in zip(labels, configs, strict=True)
    )


def _difference(config: Config, same: Sequence[Config]) -> str:
    differing = [group for group in GROUPS if len({_name(other, group) for other in same}) > 1]
    told = ", ".join(f"{group} {_name(config, group)}" for group in differing)
    return f" ({told})" if told else ""


def _name(config: Config, group: str) -> str:
    return str(config[group]["name"])


@dataclass(frozen=True, slots=True)
class PackedRun:
    """A run to pack, its portable configuration, and the stores of its calls and vectors.

    `convention` has only scores of remem, because whoever verifies the bundle computes them again.
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
        """The names of the scores that the run adds to those of remem; a bundle leaves them out."""
        return tuple(sorted(self.run.config.settings.score))

    def timings(self) -> list[Timing]:
        """Return the time that the last attempt at each question took, in the order of records."""
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
            f"{folder} has imported answers, so there is nothing that a bundle could replay; pass "
            "on the file that they came from"
        )
    if run.config.is_stream:
        raise UsageError(
            f"{folder} asked while its memory grew (run.stream=session), and a bundle has no place "
            f"for the answers before the last session; pack the run without run.stream, whose "
            f"records equal those after the last session"
        )
    by_stub = [path.name for path in judgment_files(folder) if STUB in path.name]
    if not allow_stub and by_stub:
        raise UsageError(
            f"{folder} has verdicts of {STUB} ({by_stub[0]}), which are no result; delete the "
            f"file, or --allow-stub packs it anyway"
        )
    if not allow_stub and _asked_a_stub(run.config):
        raise UsageError(
            f"{folder} was answered by {STUB}, so it is not a result; --allow-stub packs it anyway"
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
            f"{folder}: the judge's file {odd[0]!r} has a name that a bundle does not allow"
        )
    return PackedRun(
        run=run,
        config=config,
        calls=calls,
        vectors=vectors,
        convention=RunConfig(config, config).score_convention(),
    )


def _asked_a_stub(config: RunConfig) -> bool:
    return asks_stub(config.resolved) or config.settings.llm.name == STUB


def _call_store(settings: Settings) -> str | None:
    """Return the call store of the run's model, or None if the run has no model."""
    roles = [settings.dataset.build, settings.method.build, settings.reader.build]
    stores = sorted({str(node["store"]) for node in nodes(roles) if node["_target_"] == CHAT_MODEL})
    if len(stores) > 1:
        raise UsageError(f"the run used {len(stores)} call stores ({stores}), expected one")
    return next(iter(stores), None)


def _check_stores(stores: Sequence[str | None], results: Path) -> None:
    """Refuse to copy calls or vectors out of a file that is not below the results."""
    for store in filter(None, stores):
        if not Path(store).resolve().is_relative_to(results.resolve()):
            raise UsageError(
                f"the store {store} is not in {results}; move it and its vectors there, and run "
                f"again with paths.results={results}"
            )
