"""Make a table of the paper with our numbers next to the paper's, and a block of LLM-free rows.

The paper's numbers come from results/paper, and ours from the records of runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from remem.benchmarks.split import own_samples
from remem.config.retirement import read_retirements
from remem.errors import UsageError
from remem.llm.endpoint import AS_STUB, REHEARSED
from remem.metrics.columns import ScoreColumn
from remem.paper.layout import MadeWith, PaperCell, paper_table_names, read_table, read_yaml
from remem.tables.notes import taken_notes
from remem.tables.paper.by_class import class_notes, is_by_class
from remem.tables.paper.cells import Cells
from remem.tables.paper.own_rows import (
    block_notes,
    llm_free_block,
    model_rows,
    model_runs,
    paired_notes,
    with_added,
)
from remem.tables.paper.plan import plan_paper_cell, run_components
from remem.tables.paper.runs import NO_RECORDS, TableRuns
from remem.tables.paper.scores import ALL
from remem.tables.paper.timed import is_timed, timed_notes
from remem.tables.rows import RowOutcome
from remem.tables.significance import (
    CellSource,
    SourcedRow,
    paper_notes,
    run_tests,
    sources_of,
    with_p_values,
)
from remem.tables.table import Block, Cell, Row, Table

METRICS = {"f1": "F1", "bleu_1": "BLEU-1", "llm_j": "LLM-J", "em": "EM", "refusals": "#"}
"""The paper's headings of metrics; the heading of any other metric is its name."""


def table_cells(name: str, overrides: Sequence[str], runs: TableRuns, folder: Path) -> Cells:
    """Return the object that makes the cells of a table of the paper.

    Raises:
        UsageError: The paper has no such table.
    """
    if name not in paper_table_names(folder):
        names = ", ".join(paper_table_names(folder))
        raise UsageError(f"the paper has no table {name!r}; its tables are {names}")
    made_with = read_yaml(folder / "made_with.yaml", dict[str, MadeWith])
    score = {name: kind.score for name, kind in made_with.items()}
    return Cells(read_table(folder / f"{name}.yaml"), score, runs, tuple(overrides))


def paper_table(
    name: str, overrides: Sequence[str], runs: TableRuns, folder: Path, added: Sequence[str] = ()
) -> Table:
    """Return the paper's table with the numbers of our runs next to the paper's.

    Args:
        name: A table of the paper.
        overrides: Hydra overrides for every row; LLM-free rows ignore those that choose models.
        runs: Finds the runs, and starts missing runs if it is configured to.
        folder: The paper's numbers, `paper_folder()`.
        added: Methods of conf/method whose rows are added and compared with every other row.
    """
    cells = with_added(table_cells(name, overrides, runs, folder), added)
    paper = cells.paper
    printed = [_made_row(cells, label) for label in paper.rows]
    blocks = ([*printed, *model_rows(cells)], list(llm_free_block(cells)))
    first = next(sources_of(blocks), None)
    tests = {} if first is None else run_tests(blocks, first.convention)
    rows, llm_free = with_p_values(blocks, tests)
    columns = tuple(
        ScoreColumn(
            _metric_title(column.metric),
            column.heading,
            None if column.group.category in {"", ALL} else column.group.category,
            column.group.title,
        )
        for column in paper.columns
    )
    return Table(
        name="+".join((name, *added)),
        number=paper.header.number,
        title=f"Table {paper.header.number} of the paper: {name.replace('_', ' ')}"
        + (f" ({REHEARSED})" if AS_STUB in overrides else ""),
        blocks=(Block("", columns, rows), Block("LLM-free rows", columns, llm_free)),
        notes=(
            *_notes(cells, rows),
            *paired_notes(cells, blocks),
            *paper_notes(blocks, tests),
            *block_notes(cells),
        ),
        leading=tuple(_refused_notes(cells)),
    )


def _made_row(cells: Cells, label: str) -> SourcedRow:
    numbers = cells.paper.cells
    printed = [numbers.get((label, column.heading)) for column in cells.paper.columns]
    row = tuple(None if cell is None else cells.compared(cell) for cell in printed)
    sources = tuple(None if cell is None else _source(cells, cell) for cell in printed)
    return SourcedRow(Row(_marked_label(label, row, sources), row), sources)


def _marked_label(
    label: str, row: Sequence[Cell | None], sources: Sequence[CellSource | None]
) -> str:
    """Return the label of a row, marked if a stub answered or an embedder had random weights."""
    stubbed = any(cell is not None and cell.reason == REHEARSED for cell in row)
    runs = [run for source in sources if source is not None for run in source.runs]
    random = any(run.has_random_weights for run in runs)
    marks = [*([REHEARSED] if stubbed else []), *(["weights: random"] if random else [])]
    return f"{label} ({', '.join(marks)})" if marks else label


def _source(cells: Cells, cell: PaperCell) -> CellSource | None:
    plan = plan_paper_cell(cell, cells.paper, cells.overrides)
    if plan.out_of_reach or not plan.wanted.is_score:
        return None
    outcomes = [cells.runs.find(run, llm_free=False) for run in plan.runs]
    return cells.source(outcomes, plan.wanted, cell.made_with)


def _notes(cells: Cells, rows: Sequence[Row]) -> Iterator[str]:
    words = Counter(
        compared_cell.verdict
        for row in rows
        for compared_cell in row.cells
        if compared_cell and compared_cell.verdict
    )
    yield "Verdicts: " + ", ".join(f"{count} {word}" for word, count in words.items()) + "."
    used = dict.fromkeys(cell.made_with for cell in cells.paper.cells.values())
    for name in used:
        score = cells.score[name]
        if score:
            choices = ", ".join(f"{key}={value}" for key, value in score.items())
            yield f"Deltas and verdicts of {name} are under {choices} (made_with.yaml)."
    if is_by_class(cells.paper):
        yield from class_notes(cells.paper, cells.overrides, cells.runs)
    if is_timed(cells.paper):
        named = ((", ".join(labels), run) for labels, run in labelled_runs(cells))
        yield from timed_notes(cells.paper, cells.overrides, cells.runs, named)
    yield from _sample_notes(cells)
    yield from _taken_notes(cells)
    yield from _retirement_notes(cells)


def _sample_notes(cells: Cells) -> Iterator[str]:
    """Yield a note on each dataset of which only our own sample was used."""
    runs = {row.run.folder: row.run for row in paper_runs(cells) if row.run is not None}
    names = (name for run in runs.values() for name in run.manifest.data_names)
    yield from (f"Data: {name}." for name in own_samples(names))


def _taken_notes(cells: Cells) -> Iterator[str]:
    """Yield notes on the model usage and the lost episodes of the runs with a model."""
    for labels, outcome in labelled_runs(cells):
        label = ", ".join(labels)
        if outcome.run is not None and not outcome.missing:
            named = replace(outcome, label=label)
            yield from (f"{outcome.config.dataset}: {note}" for note in taken_notes([named]))
        elif outcome.run is not None and outcome.missing == NO_RECORDS:
            yield f"{outcome.config.dataset}: {label}: not run: {outcome.missing}."


def _refused_notes(cells: Cells) -> Iterator[str]:
    """Yield why the answers of a run are ignored, such as that they came from another server."""
    for labels, outcome in labelled_runs(cells):
        if outcome.run is not None and outcome.missing not in {"", NO_RECORDS}:
            yield f"{outcome.config.dataset}: {', '.join(labels)}: not run: {outcome.missing}."


def labelled_runs(cells: Cells) -> Iterator[tuple[tuple[str, ...], RowOutcome]]:
    """Yield each run of the rows that use a model, with the labels of all rows that share it."""
    labels: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for cell in cells.paper.cells.values():
        for run in plan_paper_cell(cell, cells.paper, cells.overrides).runs:
            labels[run][cell.row] = None
    runs = {run.plan.overrides: run for run in (*paper_runs(cells), *model_runs(cells))}
    for overrides, outcome in runs.items():
        yield tuple(labels.get(overrides, (outcome.config.label,))), outcome


def _retirement_notes(cells: Cells) -> Iterator[str]:
    retirements = read_retirements()
    for model in dict.fromkeys(run_components(run.config).model for run in paper_runs(cells)):
        if model in retirements:
            retirement = retirements[model]
            yield f"{model} leaves its API on {retirement.date} ({retirement.source})."


def paper_runs(cells: Cells) -> list[RowOutcome]:
    """Return each run of the paper's rows once, including missing runs."""
    planned = (
        plan_paper_cell(cell, cells.paper, cells.overrides) for cell in cells.paper.cells.values()
    )
    named = dict.fromkeys(run for plan in planned for run in plan.runs)
    return [cells.runs.find(run, llm_free=False) for run in named]


def _metric_title(metric: str) -> str:
    return METRICS.get(metric, metric.removeprefix("refusal_").replace("_", " "))
