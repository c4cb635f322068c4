"""Make the cells that show the time and memory of runs, in the paper's rows and in our own.

Only runs that were timed have numbers. For any other run, the cell gives the reason.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from remem.config.settings import read_settings
from remem.llm.endpoint import AS_STUB, REHEARSED
from remem.paper.layout import Column, MeasuredQuantity, PaperCell, PaperTable
from remem.paper.verdict import Verdict
from remem.results.run import Run
from remem.run.run_manifest import RunManifest
from remem.tables.paper.paper_cell import compared_cell, exactly
from remem.tables.paper.plan import TIMED_NUMBER, CellPlan
from remem.tables.paper.rows import MEMORIES, paper_overrides
from remem.tables.paper.runs import TableRuns
from remem.tables.rows import TIMED, RowOutcome, run_command
from remem.tables.table import NOT_RUN, Cell, Row

DECIMALS = {"index_seconds": 1, "query_seconds": 3, "peak_gigabytes": 2}
"""The paper's metrics of time and memory, and the number of decimals that we show."""

NOTES = (
    "Timed: runner=serial cache=bypass, each run in a process of its own. Nothing comes from the "
    "call store or the index cache, and the time spent waiting for model endpoints is left out; "
    "the cell of a run that was made in another way says so.",
    "Index time is the sum over all histories. Memory is the peak of the process, with Python, "
    "its libraries and the data, but without the server of a model.",
)

NO_VERDICT_ON_TIME = "seconds and memory of another machine"
"""Why a number of this kind is shown next to the paper's without a verdict."""

STUB_NOTE = (
    f"Rows marked {REHEARSED} are not LLM-free: a stub answers at once, so only the work of the "
    f"memory on its replies is timed; the replies of a model have other sizes."
)


@dataclass(frozen=True, slots=True)
class TimeAndMemory:
    """The time and memory of a timed run; the time spent waiting for endpoints is separate."""

    index_seconds: float
    query_seconds: float
    peak_gigabytes: float
    index_waited: float
    query_waited: float


def is_timed(paper: PaperTable) -> bool:
    """Return whether the numbers of a table are times and memory."""
    return all(cell.made_with == TIMED_NUMBER for cell in paper.cells.values())


def took(outcome: RowOutcome) -> TimeAndMemory | str:
    """Return the time and memory of a run, or the reason why they were not measured."""
    if outcome.run is None or outcome.missing:
        return NOT_RUN
    if not outcome.manifest.finished:
        return "not finished"
    return untimed(outcome.manifest) or _took(outcome.run)


def untimed(manifest: RunManifest) -> str:
    """Return why the times of a finished run are not valid measurements; "" if they are valid."""
    settings = read_settings(manifest.config)
    if not settings.bypasses_caches:
        return "cached"
    if settings.runner.workers > 1:
        return f"not serial: {settings.runner.workers} workers"
    if manifest.errors:
        return f"{manifest.errors} questions in error"
    return "" if manifest.own_process else "its process also did other work"


def timed_cell(
    cell: PaperCell, plan: CellPlan, run: RowOutcome, differences: tuple[str, ...]
) -> Cell:
    """Return the cell with a run's time or memory; it has no verdict, because machines differ."""
    measurement = took(run)
    if isinstance(measurement, str):
        why = Verdict(NOT_RUN, measurement)
        return replace(
            compared_cell(cell, None, why, plan, (run,), differences=differences),
            instead=measurement,
        )
    ours = float(getattr(measurement, cell.measured.metric))
    delta = ours - float(cell.number.value)
    verdict = Verdict("no verdict", NO_VERDICT_ON_TIME, delta)
    if differences:
        verdict = Verdict("not comparable", "; ".join(differences), delta)
    timed = compared_cell(cell, exactly(ours), verdict, plan, (run,), differences=differences)
    return replace(timed, decimals=DECIMALS[cell.measured.metric])


def timed_rows(
    paper: PaperTable, overrides: Sequence[str], runs: TableRuns, added: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield our own rows: LLM-free rows and, in a rehearsal, memories that the table lacks."""
    for label, run in _own_runs(paper, overrides, runs, added):
        yield Row(label, tuple(_own_cell(run, column) for column in paper.columns))


def timed_notes(
    paper: PaperTable,
    overrides: Sequence[str],
    runs: TableRuns,
    of_paper: Iterable[tuple[str, RowOutcome]],
) -> Iterator[str]:
    """Yield notes on the measurement, on waits, and on runs that asked only some questions.

    `of_paper` are the runs of the paper's rows, each with its label.
    """
    yield from NOTES
    if AS_STUB in overrides:
        yield STUB_NOTE
    named = [*of_paper, *_own_runs(paper, overrides, runs)]
    yield from dict.fromkeys(_part(run) for _, run in named if _part(run))
    for label, run in named:
        measurement = took(run)
        if not isinstance(measurement, str) and measurement.index_waited + measurement.query_waited:
            yield (
                f"{label}: {measurement.index_waited:,.1f} s of waiting for endpoints at indexing "
                f"and {measurement.query_waited:.3f} s a query, left out."
            )


def _part(run: RowOutcome) -> str:
    """Return a note if only some of the questions were asked."""
    manifest = run.manifest
    if not (manifest.finished and manifest.partial):
        return ""
    return f"{run.config.dataset}: {manifest.answered} of {manifest.questions} questions."


def _took(run: Run) -> TimeAndMemory:
    manifest, timings = run.manifest, list(run.timings.values())
    waited = fmean(timing.waited_seconds or 0.0 for timing in timings)
    return TimeAndMemory(
        index_seconds=manifest.index_seconds - manifest.index_waited_seconds,
        query_seconds=fmean(timing.recall_seconds + timing.read_seconds for timing in timings)
        - waited,
        peak_gigabytes=manifest.peak_rss_mib / 1024,
        index_waited=manifest.index_waited_seconds,
        query_waited=waited,
    )


def _own_runs(
    paper: PaperTable, overrides: Sequence[str], runs: TableRuns, added: Sequence[str] = ()
) -> Iterator[tuple[str, RowOutcome]]:
    datasets = {row: cell.measured.dataset for (row, _), cell in paper.cells.items()}
    in_paper = {cell.measured.memory for cell in paper.cells.values()}
    for place, dataset in datasets.items():
        for label, run in runs.llm_free(dataset, overrides, added, TIMED):
            yield f"{label}, {place}", run
        others = [memory for memory in MEMORIES if memory not in in_paper]
        for memory in others if AS_STUB in overrides else ():
            measured = MeasuredQuantity(
                memory, "direct", "none", "", dataset, "all", "index_seconds"
            )
            model_row = paper_overrides(measured, dataset, None) or ()
            run = runs.find((*model_row, *TIMED, *overrides), llm_free=False)
            yield f"{run.config.label} ({REHEARSED}), {place}", run


def _own_cell(run: RowOutcome, column: Column) -> Cell:
    measurement = took(run)
    instead = measurement if isinstance(measurement, str) else ""
    return Cell(
        column=column.heading,
        ours=None if isinstance(measurement, str) else exactly(getattr(measurement, column.metric)),
        instead=instead,
        reason=run.missing or instead,
        made_with=TIMED_NUMBER,
        decimals=DECIMALS[column.metric],
        command=run_command(run.plan.overrides),
        runs=(run.folder_name,) if run.folder_name else (),
    )
