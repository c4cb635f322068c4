"""Pack runs and tables into a bundle.

Packing replays each run once from the calls and vectors to be packed, and makes each table again
from the replayed runs. So every packed bundle can be replayed.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from remem.bundle.archive import BundleWriter, write_seal
from remem.bundle.differences import first_file_difference
from remem.bundle.gathering import PackedRun, gathering, read_packed_run
from remem.bundle.layout import Index
from remem.bundle.portable import localised, replay_config
from remem.bundle.replayed_run import (
    asked_before,
    index_difference,
    settle,
    write_timings,
    write_verdicts,
)
from remem.bundle.run_parts import read_verdicts
from remem.bundle.sums import first_difference, record_sum
from remem.bundle.tables import MadeTable, TableFiles, WantedTable, lay_out, packed_table
from remem.bundle.writing import write_bundle
from remem.config.run_config import compose_config
from remem.errors import DiskError, StopRunError, UsageError, VerificationFailedError
from remem.files.disk import remove_left_over, writing
from remem.files.opened import file_sum
from remem.run.experiment import run_experiment
from remem.run.progress import OnProgress, ShowProgress
from remem.run.run_result import RunResult


@dataclass(frozen=True, slots=True)
class Packed:
    """A written bundle: its path, sha256, size in bytes and index."""

    path: Path
    sha256: str
    bytes: int
    index: Index


def pack(
    folders: Sequence[Path],
    out: Path,
    show_progress: ShowProgress,
    *,
    files: TableFiles,
    tables: Sequence[WantedTable] = (),
    packages: Sequence[str] = (),
    with_text: bool = False,
    allow_stub: bool = False,
) -> Packed:
    """Pack runs, and tables with their runs, into one file, which is created only when complete.

    Args:
        folders: The folders of the runs.
        out: The file to create.
        show_progress: Shows the progress of each run. Its price is None, because nothing is sent.
        files: Writes the files of a table.
        tables: Tables to pack with their runs.
        packages: Further packages whose classes the runs may name.
        with_text: Whether to pack questions, gold answers and answers.
        allow_stub: Whether to accept runs that a stub answered.

    Raises:
        UsageError: A run cannot be packed, or a table has no runs.
        VerificationFailedError: A replayed run or table differs from the original.
    """
    remove_left_over(out.parent, out.name)
    prefix = f".bundling-{os.getpid()}-"
    with TemporaryDirectory(prefix=prefix, dir=out.parent) as temporary:
        here, results = Path(temporary), Path(temporary) / "results"
        wanted = [(packed_table(wanted_table), _places(wanted_table)) for wanted_table in tables]
        made = [
            lay_out(table, places, here / str(at), files)
            for at, (table, places) in enumerate(wanted)
        ]
        data_of = _data_of(folders, wanted, made)
        runs = _read_runs(data_of, packages, allow_stub=allow_stub)
        for run in runs:
            with show_progress(run.notes().label, None) as on_progress:
                _replay(run, results, on_progress)
        for (table, places), before in zip(wanted, made, strict=True):
            _lay_out_again(table, before, {**places, "results": str(results)}, files)
        part = here / "bundle.zip"
        with writing(out), ZipFile(part, "w") as archive:
            laid_out = [(table, paths) for (table, _), paths in zip(wanted, made, strict=True)]
            index = write_bundle(
                BundleWriter(archive), runs, results, laid_out, with_text=with_text
            )
        write_seal(part)
        total = file_sum(part)
        part.replace(out)
    return Packed(out, total, out.stat().st_size, index)


def _places(table: WantedTable) -> dict[str, str]:
    """Return the folders in the `paths` group of a table, as absolute paths."""
    # Other overrides may apply to a single block of the table only.
    paths = compose_config(
        [override for override in table.overrides if override.startswith("paths.")]
    ).paths
    return {name: str(Path(place).absolute()) for name, place in paths.items()}


def _data_of(
    folders: Sequence[Path],
    wanted: Sequence[tuple[WantedTable, Mapping[str, str]]],
    made: Sequence[MadeTable],
) -> dict[Path, str | None]:
    """Return the folders of all runs to pack, each once, with the data folder of its table.

    The data folder is None for runs that were named by folder; these runs use the folder of `conf`.

    Raises:
        UsageError: A run is named twice, or a table has no runs or failed questions.
    """
    once: set[Path] = set()
    for folder in folders:
        if folder.resolve() in once:
            raise UsageError(f"{folder} is named twice; name each run once")
        once.add(folder.resolve())
    files: dict[Path, tuple[Path, str | None]] = {}
    for (table, places), paths in zip(wanted, made, strict=True):
        if not paths.runs:
            raise UsageError(
                f"table {table.name} has no runs in {places['results']}; create them with remem "
                f"table {table.name} and the same overrides"
            )
        if paths.errors:
            raise UsageError(
                f"table {table.name} is incomplete (failed questions: {paths.errors}); repeat "
                f"remem table {table.name} to answer them, or name the folders of its runs instead"
            )
        for run in paths.runs:
            folder = Path(places["results"], run)
            files.setdefault(folder.resolve(), (folder, places["data"]))
    named: dict[Path, tuple[Path, str | None]] = {path.resolve(): (path, None) for path in folders}
    return dict((named | files).values())


def _read_runs(
    data_of: Mapping[Path, str | None], packages: Sequence[str], *, allow_stub: bool
) -> list[PackedRun]:
    runs = [
        read_packed_run(folder, allow_stub=allow_stub, packages=packages, data=data)
        for folder, data in data_of.items()
    ]
    first: dict[str, Path] = {}
    for packed in runs:
        folder = first.setdefault(packed.run.manifest.fingerprint, packed.run.folder)
        if folder != packed.run.folder:
            raise UsageError(
                f"{folder} and {packed.run.folder} are the same run; name only one of them"
            )
    return runs


def _replay(packed: PackedRun, results: Path, on_progress: OnProgress) -> None:
    """Replay a run into `results`, and gather the calls and vectors that it uses.

    Raises:
        VerificationFailedError: The run cannot be replayed, or its records or indexes differ.
    """
    paths = packed.run.config.settings.paths
    places = {"data": paths.data, "prompts": paths.prompts, "results": str(results)}
    here = localised(packed.config, places, packed.run.config.settings.run.packages)
    config = replay_config(gathering(here, packed.calls, packed.vectors))
    try:
        query_ids = [record.query_id for record in packed.run.records]
        benchmark = asked_before(config.build_benchmark(), query_ids)
        result = run_experiment(config, benchmark=benchmark, on_progress=on_progress)
    except DiskError:
        raise
    except (StopRunError, VerificationFailedError) as error:
        errors = sum(record.status == "error" for record in packed.run.records)
        again = f"; repeat the run first to answer the questions that failed ({errors})"
        raise VerificationFailedError(
            f"{packed.run.folder} cannot be replayed: {error}{again if errors else ''}"
        ) from error
    notes = packed.notes()
    difference = first_difference(map(record_sum, packed.run.records), result.records)
    difference = difference or index_difference(notes.environment, result.folder)
    if difference:
        raise VerificationFailedError(
            f"{packed.run.folder} gives a different result when replayed: {difference}; repeat the "
            "run with this code, or pack it with the code and data of the run"
        )
    settled = RunResult(settle(config, result.folder, notes), result.records)
    rule = packed.convention.refusal_gold
    verdicts = {
        judge.name: read_verdicts(judge, packed.run.records, rule) for judge in packed.judges
    }
    write_verdicts(settled, verdicts, rule)
    write_timings(settled.folder, packed.timings())


def _lay_out_again(
    table: WantedTable, made: MadeTable, places: Mapping[str, str], files: TableFiles
) -> None:
    """Make a table again from the packed runs, and compare it with the original.

    Raises:
        VerificationFailedError: A file of the table differs.
    """
    again = lay_out(table, places, Path(places["results"]) / "tables", files)
    difference = first_file_difference(made.files, again.files)
    if difference:
        raise VerificationFailedError(
            f"table {table.name} differs when made from its packed runs: {difference}"
        )
