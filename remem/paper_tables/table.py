"""A table of the paper beside ours: its rows, made by the runs they name, and LLM-free ones.

Nothing is typed by hand: the paper's numbers are results/paper, ours are the records of runs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.stratified import own_samples
from remem.experiment import RunResult
from remem.instantiation import UsageError
from remem.llm.endpoint import STUB
from remem.paper.audit import MadeWith
from remem.paper.tables import OTHER_FILES, read_table, read_yaml
from remem.paper_tables.by_class import class_notes, class_rows, is_by_class
from remem.paper_tables.cells import Cells
from remem.paper_tables.plan import llm_free_wanted, made, plan_cell
from remem.paper_tables.rows import DATASETS, llm_free_rows, without_models
from remem.paper_tables.runs import Run, Runs
from remem.paper_tables.timed import is_timed, timed_notes, timed_rows
from remem.report.compared import ComparedCell, ComparedColumn, ComparedRow, ComparedTable
from remem.retirement import read_retirements
from remem.store import read_manifest
from remem.table_notes import RowRun, taken_notes
from remem.table_plan import RowPlan

METRICS = {"f1": "F1", "bleu_1": "BLEU-1", "llm_j": "LLM-J", "em": "EM", "refusals": "#"}
"""How the paper heads its metrics; others are written out."""

LLM_FREE_NOTE = (
    "LLM-free rows are no rows of the paper: no language model, no paper value, delta or verdict."
)


def paper_table_names(folder: Path) -> list[str]:
    """Return the tables of the paper that can be asked for."""
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem not in OTHER_FILES)


def table_cells(name: str, overrides: Sequence[str], runs: Runs, folder: Path) -> Cells:
    """Read a table of the paper, ready to be put beside our runs.

    Raises:
        UsageError: The paper has no such table.
    """
    if name not in paper_table_names(folder):
        known = ", ".join(paper_table_names(folder))
        raise UsageError(f"the paper has no table {name!r}; known are {known}")
    score = read_score_conventions(folder)
    return Cells(read_table(folder / f"{name}.yaml"), score, runs, tuple(overrides))


def read_score_conventions(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the score convention that best explains each kind of number."""
    made_with = read_yaml(folder / "made_with.yaml", dict[str, MadeWith])
    return {name: one.score for name, one in made_with.items()}


def paper_table(name: str, overrides: Sequence[str], runs: Runs, folder: Path) -> ComparedTable:
    """Put a table of the paper beside the runs that make its rows.

    Args:
        name: A table of the paper.
        overrides: Hydra overrides for every row; those that choose models leave LLM-free rows.
        runs: Finds the runs, and makes what is missing where it was told to.
        folder: The paper's numbers, `paper_folder()`.
    """
    cells = table_cells(name, overrides, runs, folder)
    paper = cells.paper
    rows = tuple(_row(cells, label) for label in paper.rows)
    llm_free = tuple(_llm_free_rows(cells))
    return ComparedTable(
        name=name,
        number=paper.header.number,
        title=f"Table {paper.header.number} of the paper: {name.replace('_', ' ')}",
        columns=tuple(
            ComparedColumn(one.heading, one.group.title, _metric_title(one.metric))
            for one in paper.columns
        ),
        rows=rows,
        llm_free=llm_free,
        notes=tuple(_notes(cells, rows, llm_free)),
    )


def _row(cells: Cells, label: str) -> ComparedRow:
    numbers = cells.paper.cells
    found = (numbers.get((label, column.heading)) for column in cells.paper.columns)
    row = tuple(None if one is None else cells.compared(one) for one in found)
    stubbed = any(cell is not None and cell.reason == STUB for cell in row)
    return ComparedRow(f"{label} ({STUB})" if stubbed else label, row)


def _llm_free_rows(cells: Cells) -> Iterator[ComparedRow]:
    """Yield a row for each LLM-free method, over all datasets of the table that it is run on."""
    if is_by_class(cells.paper):
        for one in class_rows(cells.paper, cells.overrides, cells.runs):
            columns = cells.paper.columns
            yield ComparedRow(one.label, tuple(cells.of_class(one, column) for column in columns))
        return
    if is_timed(cells.paper):
        yield from timed_rows(cells.paper, cells.overrides, cells.runs)
        return
    datasets = [
        dataset
        for column in cells.paper.columns
        if llm_free_wanted(column.metric, column.group) is not None
        for dataset in column.group.dataset.split("+")
    ]
    rows: dict[str, dict[str, Run]] = {}
    for dataset in dict.fromkeys(one for one in datasets if one in DATASETS):
        for row in llm_free_rows(dataset):
            overrides = (*row.overrides, *without_models(cells.overrides))
            run = cells.runs.find(overrides, llm_free=True)
            label = f"{run.config.label} ({row.note})" if row.note else run.config.label
            rows.setdefault(label, {})[dataset] = run
    for label, by_dataset in rows.items():
        yield ComparedRow(label, tuple(_llm_free_cells(cells, by_dataset)))


def _llm_free_cells(cells: Cells, found: Mapping[str, Run]) -> Iterator[ComparedCell | None]:
    for column in cells.paper.columns:
        pooled = column.group.dataset.split("+")
        there = [found[dataset] for dataset in pooled if dataset in found]
        whole = there if len(there) == len(pooled) else []
        yield cells.llm_free(column.metric, column.group, whole)


def _notes(
    cells: Cells, rows: Sequence[ComparedRow], llm_free: Sequence[ComparedRow]
) -> Iterator[str]:
    words = Counter(one.verdict for row in rows for one in row.cells if one is not None)
    yield "Verdicts: " + ", ".join(f"{count} {word}" for word, count in words.items()) + "."
    used = dict.fromkeys(cell.made_with for cell in cells.paper.cells.values())
    for name in used:
        score = cells.score[name]
        if score:
            said = ", ".join(f"{key}={value}" for key, value in score.items())
            yield f"Deltas and verdicts of {name} are under {said} (made_with.yaml)."
    if is_by_class(cells.paper):
        yield from class_notes(cells.paper, cells.overrides, cells.runs)
    if is_timed(cells.paper):
        yield from timed_notes(cells.paper, cells.overrides, cells.runs)
    yield from _sample_notes(cells)
    yield from _taken_notes(cells)
    yield from _retirement_notes(cells)
    if llm_free:
        yield LLM_FREE_NOTE


def _sample_notes(cells: Cells) -> Iterator[str]:
    """Say of which part of the data the questions are, where that was our own choice."""
    folders = dict.fromkeys(run.folder for run in paper_runs(cells) if run.folder is not None)
    names = (file["name"] for folder in folders for file in read_manifest(folder).get("data", []))
    yield from (f"Data: {name}." for name in own_samples(names))


def _taken_notes(cells: Cells) -> Iterator[str]:
    """Say what the runs of the paper's rows lost at indexing and took of their models."""
    for run in paper_runs(cells):
        if run.folder is not None and not run.missing:
            row = RowRun(RowPlan(run.overrides), run.config, RunResult(run.folder, run.records))
            yield from (f"{run.config.dataset}: {note}" for note in taken_notes([row]))
        elif run.missing and run.folder is not None:
            yield f"{run.config.dataset}: {run.config.label}: not run: {run.missing}."


def _retirement_notes(cells: Cells) -> Iterator[str]:
    known = read_retirements()
    for model in dict.fromkeys(made(run.config).model for run in paper_runs(cells)):
        if model in known:
            yield f"{model} leaves its API on {known[model].date} ({known[model].source})."


def paper_runs(cells: Cells) -> list[Run]:
    """Return the runs of a table's paper rows, each once: those that are missing can be priced."""
    planned = (plan_cell(cell, cells.paper, cells.overrides) for cell in cells.paper.cells.values())
    named = dict.fromkeys(one for plan in planned for one in plan.runs)
    return [cells.runs.find(one, llm_free=False) for one in named]


def _metric_title(metric: str) -> str:
    return METRICS.get(metric, metric.removeprefix("refusal_").replace("_", " "))
