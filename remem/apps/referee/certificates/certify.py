"""Certify a bundle: replay it, and record what was found, with scores under each convention."""

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
"""The measure that is left out, because its times would be those of the replay, not of the run."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The folders of a replay, and the packages whose classes the bundle may name."""

    results: Path
    data: Path
    packages: Sequence[str]

    def run(self, replayed: ReplayedRun) -> Run | None:
        """Open the run; return None if neither the replay nor the bundle has its records."""
        if replayed.not_replayed and not replayed.restored:
            return None
        return Run.open(self.results / replayed.name, self.packages, data=str(self.data))


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
        UsageError: The results folder is not empty, or the bundle names a class that it may not
            use.
        VerificationFailedError: The bundle does not verify, or something differs in the replay.
    """
    replayed = replay(path, data, results, show_progress, packages, files=files)
    place = _Place(results, data, packages)
    with open_bundle(path) as bundle:
        runs = tuple(
            _certified_run(bundle, number, replayed_run, place.run(replayed_run))
            for number, replayed_run in enumerate(replayed.runs, start=1)
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
    bundle: Bundle, number: int, replayed: ReplayedRun, run: Run | None
) -> CertifiedRun:
    parts = read_run_parts(bundle, number)
    with malformed_config(f"{bundle.path}: {parts.name}"):
        config = RunConfig(parts.config, parts.config)
    ways = packed_ways(bundle, parts, config) if run is None else kept_run_ways(run, parts, config)
    return replace(
        stated_run(parts, config, replayed.label, ways[0]),
        replayed=not replayed.not_replayed,
        missing=replayed.missing,
        rival=replayed.rival,
        other_data=replayed.differences.data is not None,
        other_releases=replayed.differences.releases,
        scorings=certified_scorings(ways, config.settings.dataset.scores),
        costs=() if run is None else tuple(_costs(run)),
        index_bytes=None if run is None or replayed.not_replayed else _index_bytes(run),
    )


def _costs(run: Run) -> Iterator[CertifiedCost]:
    for cost in run.costs.costs:
        if cost.name != OF_REPLAY:
            yield _certified_cost(cost)


def _certified_cost(cost: Cost) -> CertifiedCost:
    percentiles = cost.found
    shares = (percentiles.p50, percentiles.p95, percentiles.p99, percentiles.total)
    p50, p95, p99, total = (round(value, DIGITS) for value in shares)
    return CertifiedCost(cost.name, cost.unit, cost.each, p50, p95, p99, percentiles.n, total)


def _index_bytes(run: Run) -> int | None:
    """Return the total size of the indexes that the replay saved; None unless all were saved."""
    cache, histories = IndexCache(run.config), {record.history_id for record in run.records}
    sizes: Mapping[str, int | None] = {
        history.id: cache.saved_bytes(history)
        for history in run.config.build_benchmark().histories()
        if history.id in histories
    }
    known_sizes = [size for size in sizes.values() if size is not None]
    return sum(known_sizes) if known_sizes and len(known_sizes) == len(sizes) else None
