"""Make the LLM-free block of a table of the paper: its rows, and the notes below it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from remem.paper.layout import Column
from remem.tables.paper.by_class import COUNT, class_rows, dataset_of, is_by_class
from remem.tables.paper.cells import Cells
from remem.tables.paper.plan import llm_free_wanted
from remem.tables.paper.references import absent_references, reference_notes
from remem.tables.paper.rows import DATASETS, llm_free_notes
from remem.tables.paper.timed import is_timed, timed_rows
from remem.tables.rows import RowOutcome
from remem.tables.significance import SourcedRow
from remem.tables.table import Row

NOTE = (
    "LLM-free rows are no rows of the paper: no language model, no paper value, delta or verdict."
)


def llm_free_block(cells: Cells) -> Iterator[SourcedRow]:
    """Yield all rows: the methods, then a row of dashes for each reference that is not run."""
    nothing = (None,) * len(cells.paper.columns)
    if is_by_class(cells.paper):
        yield from _class_rows(cells)
    elif is_timed(cells.paper):
        for row in timed_rows(cells.paper, cells.overrides, cells.runs, cells.added):
            yield SourcedRow(row, nothing)
    else:
        for label, by_dataset in _runs(cells).items():
            yield _row(cells, label, by_dataset)
    for name in absent_references(datasets_asked(cells)):
        yield SourcedRow(Row(name, nothing), nothing)


def block_notes(cells: Cells) -> Iterator[str]:
    """Return notes on what the rows can and cannot show, and why some references are missing."""
    datasets = datasets_asked(cells)
    yield NOTE
    yield from reference_notes(cells.paper, datasets)
    if not is_timed(cells.paper):
        yield from (f"LLM-free rows: {note}" for note in llm_free_notes(datasets))
    for dataset in datasets:
        for _, run in cells.runs.llm_free(dataset, cells.overrides, cells.added):
            if run.impossible:
                yield f"{dataset}: no {run.config.label}: {run.missing}."


def datasets_asked(cells: Cells) -> list[str]:
    """Return the datasets on which the methods of the block are run; none if it has no methods."""
    paper = cells.paper
    if is_timed(paper):
        return list(dict.fromkeys(cell.measured.dataset for cell in paper.cells.values()))
    if is_by_class(paper):
        counts = all(column.metric == COUNT for column in paper.columns)
        return [] if counts else [dataset_of(paper)]
    pooled = [
        dataset
        for column in paper.columns
        if llm_free_wanted(column.metric, column.group) is not None
        for dataset in column.group.dataset.split("+")
    ]
    return [dataset for dataset in dict.fromkeys(pooled) if dataset in DATASETS]


def _runs(cells: Cells) -> Mapping[str, Mapping[str, RowOutcome]]:
    """Return the runs of each method by its label: one for each dataset on which it can be run."""
    rows: dict[str, dict[str, RowOutcome]] = {}
    for dataset in datasets_asked(cells):
        for label, run in cells.runs.llm_free(dataset, cells.overrides, cells.added):
            by_dataset = rows.setdefault(label, {})
            if not run.impossible:
                by_dataset[dataset] = run
    return rows


def _row(cells: Cells, label: str, by_dataset: Mapping[str, RowOutcome]) -> SourcedRow:
    columns = cells.paper.columns
    found = [_pooled(column, by_dataset) for column in columns]
    made = (
        cells.llm_free(column.metric, column.group, runs)
        for column, runs in zip(columns, found, strict=True)
    )
    return SourcedRow(Row(label, tuple(made)), cells.sources(found, llm_free_wanted))


def _pooled(column: Column, by_dataset: Mapping[str, RowOutcome]) -> Sequence[RowOutcome]:
    """Return the runs on all datasets of a column; none if the run of any dataset is missing."""
    pooled = column.group.dataset.split("+")
    there = [by_dataset[dataset] for dataset in pooled if dataset in by_dataset]
    return there if len(there) == len(pooled) else []


def _class_rows(cells: Cells) -> Iterator[SourcedRow]:
    columns = cells.paper.columns
    for class_row in class_rows(cells.paper, cells.overrides, cells.runs, cells.added):
        row = Row(class_row.label, tuple(cells.of_class(class_row, column) for column in columns))
        found = [] if class_row.run is None else [class_row.run]
        wanted = partial(llm_free_wanted, category=class_row.category)
        yield SourcedRow(row, cells.sources([found] * len(columns), wanted))
