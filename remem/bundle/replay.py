"""Replay a bundle: answer its runs again from its replies and vectors and from local data.

No model is called. Records, scores and tables are compared with those of the bundle; tables must
match byte for byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.bundle.differences import (
    EnvironmentDifferences,
    environment_differences,
    other_prompts,
)
from remem.bundle.layout import CALLS, Call, run_entry
from remem.bundle.portable import STORE, localised, replay_config
from remem.bundle.reading import Bundle, open_bundle
from remem.bundle.replayed_run import (
    asked_before,
    index_difference,
    restored_run,
    settle,
    write_timings,
    write_verdicts,
)
from remem.bundle.replies_and_vectors import restore_calls, restore_vectors
from remem.bundle.rivals import RivalCode, rival_code
from remem.bundle.run_parts import RunParts, check_scores, malformed_config, read_run_parts
from remem.bundle.sums import first_difference, records_sum
from remem.bundle.tables import NotCompared, TableFiles, check_table, is_compared
from remem.bundle.verify import Verified, verify
from remem.config.run_config import RunConfig, compose_config
from remem.errors import DiskError, StopRunError, UsageError, VerificationFailedError
from remem.files.disk import write_whole
from remem.metrics.scores import score_questions
from remem.protocols import Benchmark
from remem.results.run import SCORES
from remem.run.experiment import run_experiment
from remem.run.progress import OnProgress, ShowProgress
from remem.run.run_result import RunResult
from remem.run.store import TIMINGS, Timing
from remem.tables.table import Table


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A run of a bundle that was replayed with the same records, or that was only scored again.

    `name` is the run's folder, relative to the results. `rival` is the code that rebuilt the memory
    of a rival system; None for other methods. If the run was not replayed, `not_replayed` is the
    reason, `missing` is the missing package, and `restored` says whether its records were packed
    and are written to the results.
    """

    label: str
    name: str
    questions: int
    differences: EnvironmentDifferences
    rival: RivalCode | None = None
    not_replayed: str = ""
    missing: str = ""
    restored: bool = False

    @property
    def outcome(self) -> str:
        """The result as text: whether the run was replayed, and whose code built its memory."""
        return format_outcome(self.rival, self.not_replayed, restored=self.restored)

    @property
    def remark(self) -> str:
        """The differences of data and packages as text; "" if there are none."""
        return format_remark(self.differences, replayed=not self.not_replayed)


def format_outcome(rival: RivalCode | None, not_replayed: str, *, restored: bool) -> str:
    """Return the result of a replay in words; the arguments are fields of a `ReplayedRun`."""
    if not not_replayed:
        return f"same result, with its memory built again {rival}" if rival else "same result"
    kept = "the same records" if restored else "scores match the records"
    return f"memory not built again, {kept} as they were packed: {not_replayed}"


def format_remark(differences: EnvironmentDifferences, *, replayed: bool) -> str:
    """Return the differences as text; for a replayed run, add that the result is the same."""
    remark = str(differences)
    return f"{remark}; the result is the same" if remark and replayed else remark


@dataclass(frozen=True, slots=True)
class ReplayedTable:
    """A table that was made again; `not_compared` is None if all of it was compared.

    `table` is None if no table was made, because the runs have other names here.
    """

    name: str
    files: tuple[str, ...]
    table: Table | None = None
    not_compared: NotCompared | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay; runs and tables are in the order of the bundle."""

    verified: Verified
    runs: tuple[ReplayedRun, ...]
    tables: tuple[ReplayedTable, ...]


def replay(
    path: Path,
    data: Path,
    results: Path,
    show_progress: ShowProgress,
    packages: Sequence[str] = (),
    *,
    files: TableFiles,
) -> Replayed:
    """Verify a bundle, then answer the questions of its runs again and rebuild its tables.

    Args:
        path: The bundle.
        data: The folder of the data sets, as <data set>/<file>.
        results: An empty folder for the runs and their store.
        show_progress: Shows the progress of each run. Its price is None, because nothing is sent.
        packages: Further packages whose classes the bundle may name.
        files: Writes the files of a table.

    Raises:
        UsageError: The results folder is not empty, or the bundle names something forbidden.
        VerificationFailedError: Something differs; the message names the first difference.
    """
    if results.exists() and any(results.iterdir()):
        raise UsageError(f"{results} is not empty; a replay needs an empty folder")
    verified = verify(path)
    places = {
        "data": str(data),
        "results": str(results.resolve()),
        "prompts": str(compose_config([]).paths.prompts),
    }
    with open_bundle(path) as bundle:
        restore_calls(results / STORE, bundle.lines(CALLS, Call))
        for number, table in enumerate(bundle.index.tables, start=1):
            restore_vectors(bundle, number, table, results / STORE)
        runs = []
        for number, label in enumerate(verified.runs, start=1):
            parts = read_run_parts(bundle, number)
            with malformed_config(f"{path}: {parts.name}"):
                config = replay_config(localised(parts.config, places, packages))
                benchmark = config.build_benchmark()
                benchmark.histories()
            with show_progress(label, None) as on_progress:
                run = _replayed(bundle, parts, config, benchmark, on_progress)
            runs.append(replace(run, label=label))
        tables = [
            _table(bundle, number, places, runs, files)
            for number, _ in enumerate(bundle.index.laid_out, start=1)
        ]
    return Replayed(verified, tuple(runs), tuple(tables))


def _replayed(
    bundle: Bundle, parts: RunParts, config: RunConfig, benchmark: Benchmark, progress: OnProgress
) -> ReplayedRun:
    if prompts := other_prompts(parts, config):
        raise _differs(parts, prompts, "")
    differences = environment_differences(parts.notes, benchmark)
    others = str(differences)
    folder = config.run_folder(parts.notes.fingerprint)
    replayed = ReplayedRun(
        label=parts.notes.label,
        name=folder.relative_to(config.results).as_posix(),
        questions=len(parts.records),
        differences=differences,
    )
    try:
        result = _answered(parts, config, benchmark, progress)
    except ImportError as error:  # a rival's package: its packed scores have been verified
        if parts.texts is not None:
            restored = restored_run(config, parts.notes, parts.texts)
            _write_beside(bundle, parts, restored)
        return replace(
            replayed,
            not_replayed=str(error),
            missing=error.name or "",
            restored=parts.texts is not None,
        )
    except DiskError:
        raise
    except (StopRunError, VerificationFailedError) as error:
        raise _differs(parts, str(error), others) from error
    difference = first_difference(parts.records, result.records)
    if not difference and records_sum(result.records) != parts.notes.records_sha256:
        difference = "records that differ from the bundle's"
    difference = difference or index_difference(parts.notes.environment, result.folder)
    if difference:
        raise _differs(parts, difference, others)
    settled = RunResult(settle(config, result.folder, parts.notes), result.records)
    _write_beside(bundle, parts, settled)
    return replace(replayed, rival=rival_code(config.settings.method.build))


def _answered(
    parts: RunParts, config: RunConfig, benchmark: Benchmark, progress: OnProgress
) -> RunResult:
    with malformed_config(parts.name):
        config.memory_factory()()
        config.build_reader()
    answered_questions = asked_before(benchmark, [record.query_id for record in parts.records])
    return run_experiment(config, benchmark=answered_questions, on_progress=progress)


def _write_beside(bundle: Bundle, parts: RunParts, run: RunResult) -> None:
    """Compare scores and verdicts with the packed ones, then write them and the packed times.

    Raises:
        VerificationFailedError: A score or verdict differs.
    """
    difference = write_verdicts(run, parts.verdicts, parts.convention.refusal_gold)
    if difference:
        raise _differs(parts, difference, "")
    scores = check_scores(bundle, parts, score_questions(run.records, parts.convention))
    write_whole(run.folder / SCORES, scores)
    write_timings(run.folder, bundle.lines(run_entry(parts.number, TIMINGS), Timing))


def _table(
    bundle: Bundle,
    number: int,
    places: Mapping[str, str],
    runs: Sequence[ReplayedRun],
    files: TableFiles,
) -> ReplayedTable:
    """Make a table again, unless the data differ here, because other data rename its runs."""
    table = bundle.index.laid_out[number - 1]
    of_table = [run for run in runs if run.name in table.runs]
    if any(run.differences.data is not None for run in of_table):
        return ReplayedTable(table.name, (), not_compared=NotCompared("data"))
    missing = [run.name for run in of_table if run.not_replayed and not run.restored]
    made, not_compared = check_table(bundle, number, places, missing, files)
    return ReplayedTable(table.name, tuple(filter(is_compared, table.files)), made, not_compared)


def _differs(parts: RunParts, difference: str, others: str) -> VerificationFailedError:
    reason = "; ".join(filter(None, (difference, others)))
    return VerificationFailedError(f"{parts.name}: the first difference: {reason}")
