"""Find the lines of the records behind one cell of a table of the paper."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table as RichTable

from remem.config.suggestions import did_you_mean
from remem.errors import UsageError
from remem.files.json_text import json_value
from remem.files.opened import lines_of, opened
from remem.paper.layout import Column
from remem.run.store import RECORDS
from remem.tables.paper.by_class import class_rows, is_by_class
from remem.tables.paper.cells import Cells
from remem.tables.paper.plan import llm_free_wanted, plan_paper_cell
from remem.tables.paper.scores import Scored, WantedMean, measured, value
from remem.tables.rows import RowOutcome
from remem.tables.table import Value

LLM_FREE = "LLM-free: "
"""The prefix that selects a row of the LLM-free block, since a row of the paper may have its label.
"""


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One question behind a cell: the line of its record, and its score."""

    file: str
    line: int
    query_id: str
    answer: str
    golds: tuple[str, ...]
    score: float
    refused: bool
    unanswerable: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """A cell, the convention that scored it, and all lines behind it."""

    place: str
    metric: str
    category: str
    convention: Mapping[str, Any]
    ours: Value | None
    lines: tuple[TraceLine, ...]


def explain(cells: Cells, row: str, column: str) -> Trace:
    """Find the records behind a cell.

    For a row of the LLM-free block, `row` begins with "LLM-free: ".

    Raises:
        UsageError: There is no such cell, or it has no records.
    """
    at = next((shown for shown in cells.paper.columns if shown.heading == column), None)
    if at is None:
        headings = [shown.heading for shown in cells.paper.columns]
        raise UsageError(
            f"{cells.paper.name} has no column {column!r}, only "
            f"{', '.join(headings)}{did_you_mean(column, headings)}"
        )
    wanted, outcomes = _runs(cells, row, at)
    missing = next((run.missing for run in outcomes if run.missing), "")
    if missing:
        raise UsageError(
            f"{cells.paper.name} | {row} | {column} was not run: {missing} (remem table "
            f"{cells.paper.name} runs the rows without a model; their names begin with 'LLM-free: "
            f"')"
        )
    behind = cells.questions(outcomes, wanted, at.group.metrics[at.metric])
    return Trace(
        place=f"{cells.paper.name} | {row} | {column}",
        metric=wanted.metric,
        category=wanted.category,
        convention=behind.convention.chosen,
        ours=measured(behind, wanted),
        lines=tuple(_lines(behind, wanted)),
    )


def show_trace(trace: Trace) -> RichTable:
    """Return a terminal table of a trace: the number of the cell, and the lines behind it."""
    ours = "no number" if trace.ours is None else f"{trace.ours.mean:.4f} (n = {trace.ours.n})"
    choices = ", ".join(f"{key}={value}" for key, value in trace.convention.items())
    table = RichTable(title=f"{trace.place}: {ours}", caption=choices, box=box.SIMPLE_HEAD)
    for heading in ("file", "line", "question", "answer", "gold", "score"):
        table.add_column(heading, overflow="fold")
    for line in trace.lines:
        golds = " | ".join(line.golds)
        shown = (line.file, str(line.line), line.query_id, line.answer, golds, f"{line.score:.4f}")
        table.add_row(*shown)
    return table


def _runs(cells: Cells, row: str, column: Column) -> tuple[WantedMean, list[RowOutcome]]:
    cell = cells.paper.cells.get((row, column.heading))
    if cell is not None:
        plan = plan_paper_cell(cell, cells.paper, cells.overrides)
        if plan.out_of_reach or not plan.wanted.is_score:
            why = plan.out_of_reach or f"{plan.wanted.metric} is not a score of questions"
            raise UsageError(f"{row} | {column.heading} does not have its own records: {why}")
        return plan.wanted, [cells.runs.find(run, llm_free=False) for run in plan.runs]
    if is_by_class(cells.paper) and (of_class := _class_runs(cells, row, column)):
        return of_class
    wanted = llm_free_wanted(column.metric, column.group)
    outcomes = list(_llm_free_runs(cells, row, column)) if wanted is not None else []
    if wanted is None or not outcomes or not row.startswith(LLM_FREE):
        raise UsageError(f"{cells.paper.name} has no row {row!r} with a number in {column.heading}")
    return wanted, outcomes


def _class_runs(
    cells: Cells, label: str, column: Column
) -> tuple[WantedMean, list[RowOutcome]] | None:
    """Return the mean and the run of an LLM-free cell of a class; None if it does not exist."""
    for row in class_rows(cells.paper, cells.overrides, cells.runs, cells.added):
        wanted = llm_free_wanted(column.metric, column.group, row.category)
        if f"{LLM_FREE}{row.label}" == label and row.run is not None and wanted is not None:
            return wanted, [row.run]
    return None


def _llm_free_runs(cells: Cells, label: str, column: Column) -> Iterator[RowOutcome]:
    for dataset in column.group.dataset.split("+"):
        for name, run in cells.runs.llm_free(dataset, cells.overrides, cells.added):
            if label.removeprefix(LLM_FREE) in (run.config.label, name):
                yield run


def _lines(behind: Scored, wanted: WantedMean) -> Iterator[TraceLine]:
    for outcome, questions in zip(behind.runs, behind.questions, strict=True):
        assert outcome.run is not None  # an outcome without a run has no questions
        numbers = _line_numbers(outcome.run.folder / RECORDS)
        records = {record.query_id: record for record in outcome.records}
        for question in questions:
            record = records[question.query_id]
            yield TraceLine(
                file=f"{outcome.folder_name}/{RECORDS}",
                line=numbers[question.query_id],
                query_id=question.query_id,
                answer=record.answer,
                golds=record.gold.answers,
                score=value(question, wanted.metric) or 0.0,
                refused=question.refused,
                unanswerable=question.unanswerable,
            )


def _line_numbers(path: Path) -> Mapping[str, int]:
    """Return the number of the last line of each question, which is the line that counts."""
    with opened(path) as file:
        return {
            json_value(line)["query_id"]: at
            for at, line in enumerate(lines_of(file, str(path)), start=1)
        }
