"""Rows that we add to a table of the paper: rows without a model, and the user's methods.

A method that asks a language model is added to the paper's rows, any other method to the LLM-free
block. That block always lists the references: Oracle, Full-Context, No memory and Always refuse. A
reference that cannot be run has a row of dashes, and the notes give the reason.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from omegaconf import OmegaConf

from remem.config.run_config import compose_config
from remem.errors import UsageError
from remem.llm.endpoint import REHEARSED, STUB
from remem.metrics.intervals import Ratio
from remem.metrics.paired import holm_in_families, paired_tests
from remem.paper.layout import Column, PaperTable
from remem.results.compare import differences
from remem.tables.notes import format_difference
from remem.tables.paper.by_class import (
    COUNT,
    class_rows,
    counted_by_rules,
    dataset_of,
    is_by_class,
)
from remem.tables.paper.cells import Cells
from remem.tables.paper.plan import llm_free_wanted, model_wanted
from remem.tables.paper.rows import (
    DATASETS,
    changed,
    llm_free_notes,
    llm_free_rows,
    model_row,
    without_models,
)
from remem.tables.paper.timed import is_timed, timed_rows
from remem.tables.rows import RowOutcome, fitted
from remem.tables.significance import SourcedRow, sources_of
from remem.tables.table import Row

FREE_NOTE = (
    "LLM-free rows are not rows of the paper: no language model, no paper value, delta or verdict."
)
REFERENCES = {
    "Oracle Message": "method=oracle_message",
    "Full-Context": "method=full_context",
    "No memory": "method=no_memory",
    "Always refuse": "reader=always_refuse",
}
"""The references, each with its override."""

TOO_LONG = (
    "thousands of passages are too long for a context, and each record would name all of them, "
    "0.4 GB in total; remem run dataset={} method=full_context reader=extractive runs it anyway"
)

NOT_ON = {
    ("Oracle Message", "tot"): "its questions do not name the facts that they need",
    **{("Full-Context", dataset): TOO_LONG.format(dataset) for dataset in ("musique", "two_wiki")},
}
"""Why a reference is not run on a dataset."""

NOT_IN = {
    "counted": "the table counts the data, and no method changes them",
    "labelled_by_model": "the table counts the questions of a class, and no method changes them",
    "o200k_tokens": "the table counts the tokens of a model, and rows without one use none",
    "graph_properties": "the table is about memory graphs, and a reference has none",
    "human_sample": "the table shows people's verdicts on answers that were not published",
    "mem0_judge": "the table shows a judge's verdicts, and rows without a model are not judged",
}
"""Why a table has no reference, by the kind (`made_with`) of its first number."""


@dataclass(frozen=True, slots=True)
class AddedGap:
    """The difference between an added row and another row in one column.

    `better` and `worse` are the numbers of questions on which the added row is better or worse.
    """

    column: str
    ratio: Ratio
    better: int
    worse: int


def references_on(dataset: str) -> list[str]:
    """Return the references that are run on a dataset."""
    rows = [row.overrides for row in llm_free_rows(dataset)]
    return [name for name, chosen in REFERENCES.items() if any(chosen in row for row in rows)]


def absent_references(datasets: Collection[str]) -> list[str]:
    """Return the references that are not run on any of the datasets."""
    present = {name for dataset in datasets for name in references_on(dataset)}
    return [name for name in REFERENCES if name not in present]


def reference_notes(paper: PaperTable, datasets: Sequence[str]) -> Iterator[str]:
    """Yield notes that say which references are missing for a table or a dataset, and why.

    Args:
        paper: The table.
        datasets: The datasets of the table's LLM-free rows; empty if it has no such rows.
    """
    if not datasets:
        kind = next(iter(paper.cells.values())).made_with
        yield f"No reference rows ({', '.join(REFERENCES)}): {NOT_IN[kind]}."
    for dataset in DATASETS:
        for name in REFERENCES if dataset in datasets else ():
            if name not in references_on(dataset):
                yield f"{dataset}: no {name}: {NOT_ON[name, dataset]}."


def llm_free_block(cells: Cells) -> Iterator[SourcedRow]:
    """Yield the rows of the methods, then a row of dashes for each reference that cannot be run."""
    nothing = (None,) * len(cells.paper.columns)
    if is_by_class(cells.paper):
        yield from _class_rows(cells)
    elif is_timed(cells.paper):
        for row in timed_rows(cells.paper, cells.overrides, cells.runs, cells.added):
            yield SourcedRow(row, nothing)
    else:
        for label, by_dataset in _free_runs(cells).items():
            by_column = [_pooled(column, by_dataset) for column in cells.paper.columns]
            yield cells.unprinted_row(label, by_column, llm_free_wanted)
    for name in absent_references(datasets_asked(cells)):
        yield SourcedRow(Row(name, nothing), nothing)


def block_notes(cells: Cells) -> Iterator[str]:
    """Yield notes on the LLM-free rows and their data, and on methods that are missing."""
    datasets = datasets_asked(cells)
    yield FREE_NOTE
    yield from reference_notes(cells.paper, datasets)
    if not is_timed(cells.paper):
        yield from (f"LLM-free rows: {note}" for note in llm_free_notes(datasets))
    for dataset in datasets:
        for _, run in cells.runs.llm_free(dataset, cells.overrides, cells.added):
            if run.impossible:
                yield f"{dataset}: no {run.config.label}: {run.missing}."


def datasets_asked(cells: Cells) -> list[str]:
    """Return the datasets on which the block's methods are run; empty if it has no methods."""
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


def _free_runs(cells: Cells) -> Mapping[str, Mapping[str, RowOutcome]]:
    """Return the runs of each method, by label and dataset, on the datasets where it can be run."""
    rows: dict[str, dict[str, RowOutcome]] = {}
    for dataset in datasets_asked(cells):
        for label, run in cells.runs.llm_free(dataset, cells.overrides, cells.added):
            by_dataset = rows.setdefault(label, {})
            if not run.impossible:
                by_dataset[dataset] = run
    return rows


def _pooled(column: Column, by_dataset: Mapping[str, RowOutcome]) -> Sequence[RowOutcome]:
    """Return the runs on all datasets of a column; empty if the run on any of them is missing."""
    pooled = column.group.dataset.split("+")
    present = [by_dataset[dataset] for dataset in pooled if dataset in by_dataset]
    return present if len(present) == len(pooled) else []


def _class_rows(cells: Cells) -> Iterator[SourcedRow]:
    columns = cells.paper.columns
    for class_row in class_rows(cells.paper, cells.overrides, cells.runs, cells.added):
        outcomes = [] if class_row.run is None else [class_row.run]
        wanted = partial(llm_free_wanted, category=class_row.category)
        sourced = cells.unprinted_row(class_row.label, [outcomes] * len(columns), wanted)
        row_cells = (
            counted_by_rules(class_row, column, cells.overrides, cells.runs)
            if class_row.run is None or column.metric == COUNT
            else cell
            for column, cell in zip(columns, sourced.row.cells, strict=True)
        )
        yield replace(sourced, row=replace(sourced.row, cells=tuple(row_cells)))


def with_added(cells: Cells, names: Sequence[str]) -> Cells:
    """Return the cells of a table that also has rows for the named methods.

    Raises:
        UsageError: The table has no column with a number for one of the methods.
    """
    paper = cells.paper
    asking = tuple(name for name in names if asks_model(name, cells.overrides))
    if asking and (is_by_class(paper) or is_timed(paper)):
        raise UsageError(
            f"+{asking[0]} needs a language model, but the rows of table {paper.name} are classes "
            f"or datasets; only methods without a model can be added to such a table"
        )
    for name in names:
        wanted = model_wanted if name in asking else llm_free_wanted
        if not is_timed(paper) and not any(
            wanted(column.metric, column.group) for column in paper.columns
        ):
            raise UsageError(f"table {paper.name} has no column that +{name} could fill")
    free = tuple(name for name in names if name not in asking)
    return replace(cells, added=free, added_models=asking)


def asks_model(name: str, overrides: Sequence[str]) -> bool:
    """Return whether a method of conf/method asks the language model."""
    config = compose_config(fitted((f"method={name}",), without_models(overrides)))
    return "${llm." in OmegaConf.to_yaml(config.method)


def model_rows(cells: Cells) -> Iterator[SourcedRow]:
    """Yield a row for each added method that asks a model, over all datasets of the table."""
    for name in cells.added_models:
        by_column = [list(_runs(cells, name, column)) for column in cells.paper.columns]
        label = next(run.config.label for runs in by_column for run in runs)
        stubbed = any(run.config.llm == STUB for runs in by_column for run in runs)
        label = f"{label} ({REHEARSED})" if stubbed else label
        yield cells.unprinted_row(label, by_column, model_wanted)


def model_runs(cells: Cells) -> Iterator[RowOutcome]:
    """Yield the runs of the added methods that ask a model."""
    for name in cells.added_models:
        for column in cells.paper.columns:
            yield from _runs(cells, name, column)


def _runs(cells: Cells, name: str, column: Column) -> Iterator[RowOutcome]:
    pooled = column.group.dataset.split("+")
    if model_wanted(column.metric, column.group) is not None and set(pooled) <= set(DATASETS):
        for dataset in pooled:
            row = changed(model_row(name, dataset), cells.overrides)
            yield cells.runs.find(row, llm_free=False)


def paired_notes(cells: Cells, blocks: Sequence[Sequence[SourcedRow]]) -> Iterator[str]:
    """Yield notes that compare each added row with every other row of its block.

    Two rows are compared on the questions that both have. In each group of columns, only the first
    column that averages question scores is compared.
    """
    compared_rows = [
        (at, sourced_row.row.label, other.row.label, list(_pairs(cells, sourced_row, other)))
        for at, rows in enumerate(blocks)
        for sourced_row in rows
        if _is_added(cells, sourced_row)
        for other in rows
        if other is not sourced_row
    ]
    compared = [(at, pair) for at, _, _, pairs in compared_rows for pair in pairs]
    if not compared:
        return
    convention = next(sources_of(blocks)).convention
    tests = paired_tests(
        [pair.ratio for _, pair in compared], resamples=convention.resamples, seed=convention.seed
    )
    families = [(at, pair.column) for at, pair in compared]
    p_values = holm_in_families([test.p_value for test in tests], families)
    tested = iter(zip(tests, p_values, strict=True))
    for _, label, other, pairs in compared_rows:
        shown = []
        for pair in pairs:
            test, p_value = next(tested)
            gap = format_difference(test.difference, pair.better, pair.worse, p_value=p_value)
            shown.append(f"{pair.column} {gap}")
        if shown:
            yield f"{label} against {other}: {'; '.join(shown)}."
    yield (
        "Paired bootstrap on the questions that both rows have; p after Holm's correction over "
        "these comparisons of the same column and block."
    )


def _is_added(cells: Cells, sourced_row: SourcedRow) -> bool:
    methods = {
        source.runs[0].config.settings.method.name for source in sourced_row.sources if source
    }
    return bool(methods & {*cells.added, *cells.added_models})


def _pairs(cells: Cells, first: SourcedRow, other: SourcedRow) -> Iterator[AddedGap]:
    tested: set[str] = set()
    for column, ours, theirs in zip(cells.paper.columns, first.sources, other.sources, strict=True):
        if ours is None or theirs is None or column.group.key in tested:
            continue
        if ours.category == theirs.category and (pairs := ours.pairs(theirs)):
            tested.add(column.group.key)
            yield AddedGap(
                column.heading,
                differences(pairs, ours.convention.bootstrap_unit),
                sum(pair.first > pair.second for pair in pairs),
                sum(pair.first < pair.second for pair in pairs),
            )
