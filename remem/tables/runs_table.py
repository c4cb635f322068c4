"""Make a table of given runs: a block for each dataset, and a column for each of its scores."""

from collections.abc import Sequence
from itertools import groupby

from remem.metrics.columns import ScoreColumn
from remem.results.run import Run
from remem.tables.table import Block, Row, Table, own_cell


def table_of_runs(name: str, title: str, runs: Sequence[tuple[str, Run]]) -> Table:
    """Return a table of labelled runs in the given order; differences are not tested.

    The first column of a block is the main score of its first run.
    """
    blocks = [
        _block(dataset, list(of_dataset))
        for dataset, of_dataset in groupby(runs, key=lambda run: run[1].config.dataset)
    ]
    return Table(name, title, tuple(blocks))


def _block(dataset: str, runs: Sequence[tuple[str, Run]]) -> Block:
    first = runs[0][1]
    scores = dict.fromkeys(score for _, run in runs for score in run.shown_scores)
    columns = tuple(ScoreColumn(first.convention.heading(score), score) for score in scores)
    return Block(dataset, columns, tuple(_row(label, run, columns) for label, run in runs))


def _row(label: str, run: Run, columns: Sequence[ScoreColumn]) -> Row:
    return Row(
        label,
        tuple(own_cell(column, run.summary) for column in columns),
        llm=run.config.llm,
        answered=len(run.scores),
        total=len(run.records),
        run=f"runs/{run.name}",
    )
