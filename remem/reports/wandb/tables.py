"""The tables of `remem table` and of sweeps as rows for W&B, each in its own W&B run.

The numbers are the same as in the table, so shares are in per cent.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TypeVar

from remem.errors import UsageError
from remem.reports.wandb.payload import FlatTable, Payload, Value
from remem.results.run import Run
from remem.run.sweep_jobs import Job, choices, job_label, read_jobs, short_keys, varied_keys
from remem.tables.sweep_table import JobOutcome, SweepBlock, SweepCell, job_scores, table_of
from remem.tables.table import Block, Cell, Table
from remem.tables.table import Value as Number

METHOD = "method"
"""The column with the label of a row."""
DIGITS = 12
"""The digits of the checksum in an id: W&B limits an id and the name of a table together."""
Kept = TypeVar("Kept")


def table_payload(table: Table) -> Payload:
    """Return the content of a table, with a W&B table for each of its blocks."""
    flat = [_flat(table, block) for block in table.blocks]
    return _payload("table", table.name, table.title, _numbered("table", flat))


def _payload(kind: str, name: str, title: str, tables: Mapping[str, FlatTable]) -> Payload:
    digits = hashlib.sha256(name.encode()).hexdigest()[:DIGITS]
    return Payload(f"{kind}-{digits}", title, (kind,), {"remem": {kind: name}}, {}, tables)


def _numbered(name: str, blocks: Sequence[Kept]) -> dict[str, Kept]:
    """Return blocks by name; the name of each block but the first ends with its number."""
    return {name if at == 1 else f"{name} {at}": block for at, block in enumerate(blocks, 1)}


def _flat(table: Table, block: Block) -> FlatTable:
    parts = ("", " low", " high", " star", *([] if table.number is None else [" paper"]))
    columns = (f"{column.title}{part}" for column in block.columns for part in parts)
    count = ("n",) if table.counts_rows else ()
    rows = (
        (
            block.title,
            row.title,
            *((row.count,) if count else ()),
            *(value for cell in row.cells for value in _values(cell)[: len(parts)]),
        )
        for row in block.rows
    )
    return FlatTable(("block", METHOD, *count, *columns), tuple(rows))


def _values(cell: Cell | None) -> tuple[Value, ...]:
    if cell is None:
        return (None,) * 5
    ours = cell.ours
    return (*_numbers(ours), None if ours is None else ours.mark, cell.paper)


def _numbers(number: Number | None) -> tuple[Value, Value, Value]:
    return (None, None, None) if number is None else (number.mean, number.low, number.high)


@dataclass(frozen=True, slots=True)
class SweptTable:
    """A table of the jobs that asked the same questions, and the columns that a chart shows.

    `across` is the name of the column with the swept number, "" if no number was swept. `scores`
    are the names of the columns with means. In a chart, rows with the same `method` form a line.
    """

    name: str
    flat: FlatTable
    across: str
    scores: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentSweep:
    """The runs of a sweep, and its tables."""

    name: str
    title: str
    runs: tuple[Run, ...]
    tables: tuple[SweptTable, ...]

    @property
    def payload(self) -> Payload:
        """The content of the W&B run with the tables."""
        tables = {table.name: table.flat for table in self.tables}
        return _payload("sweep", self.name, self.title, tables)


def read_sweep(folder: Path, packages: Sequence[str]) -> SentSweep:
    """Read the finished runs of a sweep from their folders; no configuration is composed again.

    Raises:
        UsageError: No job has finished, or the folder of a run is gone.
    """
    jobs = [job for job in read_jobs(folder) if job.state == "done"]
    if not jobs:
        raise UsageError(f"no job of the sweep {folder} has finished; run the sweep again")
    runs = tuple(Run.open(Path(job.folder), packages) for job in jobs)
    scores = (job_scores(run, len(run.records)) for run in runs)
    table = table_of([JobOutcome(job, of_job) for job, of_job in zip(jobs, scores, strict=True)])
    name = folder.resolve().name
    blocks = _numbered(name, table.blocks)
    tables = tuple(_swept(key, block) for key, block in blocks.items())
    return SentSweep(name, table.title, runs, tables)


def _swept(name: str, block: SweepBlock) -> SweptTable:
    jobs = [row.job for row in block.rows]
    across = _swept_number(jobs)
    others = [key for key in varied_keys(jobs) if key != across]
    heading = short_keys([across]).get(across, "") if across else ""
    parts = ("", " low", " high", " difference", " star")
    scores = (f"{score}{part}" for score in block.headings for part in parts)
    rows = (
        (
            block.title,
            job_label(row.job, others),
            *((float(choices(row.job)[across]),) if across else ()),
            row.count,
            *(value for cell in row.cells for value in _swept_values(cell)),
        )
        for row in block.rows
    )
    columns = ("block", METHOD, *filter(None, (heading,)), "n", *scores)
    return SweptTable(name, FlatTable(columns, tuple(rows)), heading, block.headings)


def _swept_values(cell: SweepCell | None) -> tuple[Value, ...]:
    if cell is None:
        return (None,) * 5
    gap = (None, None) if cell.gap is None else (cell.gap.mean, cell.gap.mark)
    return (*_numbers(cell.mean), *gap)


def _swept_number(jobs: Sequence[Job]) -> str:
    """Return the key with the most values, all of them numbers; "" if there is no such key."""
    chosen = [choices(job) for job in jobs]
    values = {key: {own.get(key, "") for own in chosen} for key in varied_keys(jobs)}
    numeric = [key for key, texts in values.items() if all(map(_is_number, texts))]
    return max(numeric, key=lambda key: len(values[key]), default="")


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
