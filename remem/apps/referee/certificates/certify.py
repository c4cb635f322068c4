"""Certify a bundle: replay it, and write down what was found, scored under named conventions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from remem.apps.referee.certificates.certificate import (
    DIGITS,
    FORMAT,
    Certificate,
    CertifiedCost,
    CertifiedRun,
    CertifiedTable,
    bundle_content,
)
from remem.apps.referee.certificates.certified_scores import (
    certified_scorings,
    kept_run_ways,
    packed_ways,
)
from remem.apps.referee.certificates.stated_run import stated_run
from remem.bundle.reading import Bundle, open_bundle
from remem.bundle.replay import ReplayedRun, replay
from remem.bundle.run_parts import malformed_config, read_run_parts
from remem.bundle.tables import TableFiles
from remem.config.run_config import RunConfig
from remem.results.costs import Cost
from remem.results.run import Run
from remem.run.index_cache import IndexCache
from remem.run.progress import ShowProgress

OF_REPLAY = "index"
"""The measure whose times a replay would take from itself, and not from the original run."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a bundle was replayed, and the packages whose classes it may name."""

    results: Path
    data: Path
    packages: Sequence[str]

    def run(self, found: ReplayedRun) -> Run | None:
        """Open a run; None if its records were neither made again nor packed."""
        if found.not_replayed and not found.restored:
            return None
        return Run.open(self.results / found.name, self.packages, data=str(self.data))


def certify(
    path: Path,
    data: Path,
    results: Path,
    show_progress: ShowProgress,
    packages: Sequence[str] = (),
    *,
    files: TableFiles,
) -> Certificate:
    """Replay a bundle and return its certificate; the arguments are those of `replay`.

    Raises:
        UsageError: The results folder is not empty, or the bundle names something that it may not.
        VerificationFailedError: The bundle does not verify, or something differs in the replay.
    """
    replayed = replay(path, data, results, show_progress, packages, files=files)
    place = _Place(results, data, packages)
    with open_bundle(path) as bundle:
        runs = tuple(
            _certified_run(bundle, number, found, place.run(found))
            for number, found in enumerate(replayed.runs, start=1)
        )
    return Certificate(
        format=FORMAT,
        certified_with=version("remem"),
        bundle=bundle_content(path, replayed.verified),
        runs=runs,
        tables=tuple(
            CertifiedTable(packed.name, len(packed.files), table.not_compared)
            for packed, table in zip(replayed.verified.index.laid_out, replayed.tables, strict=True)
        ),
    )


def _certified_run(
    bundle: Bundle, number: int, found: ReplayedRun, run: Run | None
) -> CertifiedRun:
    parts = read_run_parts(bundle, number)
    with malformed_config(f"{bundle.path}: {parts.name}"):
        config = RunConfig(parts.config, parts.config)
    ways = packed_ways(bundle, parts, config) if run is None else kept_run_ways(run, parts, config)
    return replace(
        stated_run(parts, config, found.label, ways[0]),
        replayed=not found.not_replayed,
        missing=found.missing,
        rival=found.rival,
        other_data=found.differences.data is not None,
        other_releases=found.differences.releases,
        scorings=certified_scorings(ways, config.settings.dataset.scores),
        costs=() if run is None else tuple(_costs(run)),
        index_bytes=None if run is None or found.not_replayed else _index_bytes(run),
    )


def _costs(run: Run) -> Iterator[CertifiedCost]:
    for cost in run.costs.costs:
        if cost.name != OF_REPLAY:
            yield _certified_cost(cost)


def _certified_cost(cost: Cost) -> CertifiedCost:
    found = cost.found
    shares = (found.p50, found.p95, found.p99, found.total)
    p50, p95, p99, total = (round(value, DIGITS) for value in shares)
    return CertifiedCost(cost.name, cost.unit, cost.each, p50, p95, p99, found.n, total)


def _index_bytes(run: Run) -> int | None:
    """Return the bytes of the indexes that the replay saved; None unless each was saved."""
    cache, asked = IndexCache(run.config), {record.history_id for record in run.records}
    sizes: Mapping[str, int | None] = {
        history.id: cache.saved_bytes(history)
        for history in run.config.build_benchmark().histories()
        if history.id in asked
    }
    known = [size for size in sizes.values() if size is not None]
    return sum(known) if known and len(known) == len(sizes) else None
