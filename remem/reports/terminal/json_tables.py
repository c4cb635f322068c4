"""What `remem table --json` prints: every cell of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.metrics.columns import Column
from remem.reports.terminal.json_written import Questions, Unit
from remem.tables.costs import BlockCosts
from remem.tables.table import Block, Cell, Row, Table, Value

PER_CENT = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CellOutput:
    """A number of a row, or `text` where there is none; see Score for its parts.

    `p_holm` is the corrected p value of the difference from the first row. `paper` is what the
    paper prints, and `verdict` and `reason` say how our number compares with it.
    """

    score: str
    heading: str
    category: str | None
    unit: Unit | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int | None = None
    p_holm: float | None = None
    text: str = ""
    paper: str = ""
    verdict: str = ""
    reason: str = ""
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowOutput:
    """A method; `run` is the folder of its records if one run makes the row."""

    method: str
    note: str
    llm: str
    run: str
    questions: Questions
    scores: tuple[CellOutput, ...]


@dataclass(frozen=True, slots=True)
class BlockOutput:
    """Rows with the same columns."""

    title: str
    rows: tuple[RowOutput, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOutput:
    """A table; `files` is empty if it was not written because questions failed."""

    command: str = "table"
    name: str
    title: str
    results: Path
    blocks: tuple[BlockOutput, ...]
    notes: tuple[str, ...]
    files: tuple[Path, ...]
    errors: tuple[str, ...]
    costs: tuple[BlockCosts, ...] = ()


def table_output(
    table: Table,
    results: Path,
    files: Sequence[Path],
    errors: Sequence[str],
    costs: Sequence[BlockCosts] = (),
) -> TableOutput:
    """Return a table as it is written; the folders of runs are relative to `results`."""
    return TableOutput(
        name=table.name,
        title=table.title,
        results=results,
        blocks=tuple(_block(table, block) for block in table.blocks),
        notes=table.all_notes,
        files=tuple(files),
        errors=tuple(errors),
        costs=tuple(costs),
    )


def _block(table: Table, block: Block) -> BlockOutput:
    rows = tuple(_row(block, row) for row in block.rows)
    return BlockOutput(block.title, rows, (*block.facts, *table.notes_below(block)))


def _row(block: Block, row: Row) -> RowOutput:
    questions = Questions(row.total, row.answered, row.total - row.answered)
    cells = tuple(
        _cell(column, cell)
        for column, cell in zip(block.columns, row.cells, strict=True)
        if cell is not None
    )
    return RowOutput(row.label, row.note, row.llm, row.run, questions, cells)


def _cell(column: Column, cell: Cell) -> CellOutput:
    place = CellOutput(
        score=column.score,
        heading=column.title,
        category=column.category,
        text=cell.instead,
        paper=cell.paper,
        verdict=cell.verdict,
        reason=cell.reason,
        runs=cell.runs,
    )
    return place if cell.ours is None else _with_number(place, cell.ours)


def _with_number(place: CellOutput, ours: Value) -> CellOutput:
    scale = PER_CENT if ours.percent else 1.0
    low, high = (None if end is None else end / scale for end in (ours.low, ours.high))
    return replace(
        place,
        unit="share" if ours.percent else "count",
        mean=ours.mean / scale,
        low=low,
        high=high,
        n=ours.n,
        clusters=ours.clusters,
        p_holm=ours.p_value,
    )
