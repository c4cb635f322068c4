"""Add methods of the user to a table of the paper, and compare them with the other rows.

A method that asks a language model is added to the paper's rows, any other method to the LLM-free
block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from omegaconf import OmegaConf

from remem.config.instantiation import UsageError
from remem.config.run_config import compose_config
from remem.llm.endpoint import REHEARSED, STUB
from remem.metrics.intervals import Ratio
from remem.metrics.paired import holm_in_families, paired_tests
from remem.paper.layout import Column
from remem.results.compare import differences
from remem.tables.paper.by_class import is_by_class
from remem.tables.paper.cells import Cells
from remem.tables.paper.plan import llm_free_wanted, model_wanted
from remem.tables.paper.rows import DATASETS, changed, model_row, without_models
from remem.tables.paper.timed import is_timed
from remem.tables.rows import RowOutcome, fitted
from remem.tables.significance import SourcedRow, sources_of
from remem.tables.table import Row
from remem.tables.table_pairs import difference


@dataclass(frozen=True, slots=True)
class AddedGap:
    """A difference between an added row and another, and the questions on which each is better."""

    column: str
    ratio: Ratio
    better: int
    worse: int


def with_added(cells: Cells, names: Sequence[str]) -> Cells:
    """Add methods to a table.

    Raises:
        UsageError: The table has no column with a number for one of the methods.
    """
    paper = cells.paper
    asking = tuple(name for name in names if asks_model(name, cells.overrides))
    if asking and (is_by_class(paper) or is_timed(paper)):
        raise UsageError(
            f"+{asking[0]} needs a language model; only methods without one can be added to table "
            f"{paper.name}, whose rows are classes or datasets"
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
    columns = cells.paper.columns
    for name in cells.added_models:
        found = [list(_runs(cells, name, column)) for column in columns]
        label = next(run.config.label for runs in found for run in runs)
        stubbed = any(run.config.llm == STUB for runs in found for run in runs)
        made = tuple(
            cells.of_model(column.metric, column.group, runs)
            for column, runs in zip(columns, found, strict=True)
        )
        row = Row(f"{label} ({REHEARSED})" if stubbed else label, made)
        yield SourcedRow(row, cells.sources(found, model_wanted))


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
    """Compare each added row with every other row of its block, on the questions that both have.

    In each group of columns, the first column that averages scores of questions is tested.
    """
    found = [
        (at, sourced_row.row.label, other.row.label, list(_pairs(cells, sourced_row, other)))
        for at, rows in enumerate(blocks)
        for sourced_row in rows
        if _is_added(cells, sourced_row)
        for other in rows
        if other is not sourced_row
    ]
    compared = [(at, pair) for at, _, _, pairs in found for pair in pairs]
    if not compared:
        return
    convention = next(sources_of(blocks)).convention
    tests = paired_tests(
        [pair.ratio for _, pair in compared], resamples=convention.resamples, seed=convention.seed
    )
    families = [(at, pair.column) for at, pair in compared]
    p_values = holm_in_families([test.p_value for test in tests], families)
    told = iter(zip(tests, p_values, strict=True))
    for _, label, other, pairs in found:
        shown = []
        for pair in pairs:
            test, p_value = next(told)
            told_gap = difference(test.difference, pair.better, pair.worse, p_value=p_value)
            shown.append(f"{pair.column} {told_gap}")
        if shown:
            yield f"{label} against {other}: {'; '.join(shown)}."
    yield (
        "Paired bootstrap on the questions that both rows have; p after Holm's correction over "
        "these comparisons of the same column and block."
    )


def _is_added(cells: Cells, made: SourcedRow) -> bool:
    methods = {source.runs[0].config.settings.method.name for source in made.sources if source}
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
