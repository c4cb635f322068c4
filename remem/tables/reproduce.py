"""Make a table from its plan: compose its rows, run missing ones, score and test them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import NotRunError, NotServedError, UnhealthyMemoryError, UsageError
from remem.llm.endpoint import REHEARSED, STUB
from remem.metrics.columns import REFUSAL_SCORES
from remem.metrics.convention import ScoreConvention
from remem.prompts.chosen import prompt_origin
from remem.protocols import Benchmark
from remem.results.costs import stage_prices
from remem.results.diagnosis import recorded_diagnosis
from remem.results.run import Run
from remem.run.experiment import run_experiment
from remem.run.health import all_questions, check_choices, missing_evidence
from remem.run.progress import OnProgress, ShowProgress
from remem.run.run_result import RunResult
from remem.run.served_models import check_local_models, is_plumbing
from remem.tables.budget_curves import budget_blocks
from remem.tables.notes import (
    BlockCosts,
    block_costs,
    block_notes,
    leading_notes,
    pair_notes,
)
from remem.tables.rows import WITHOUT_EFFECT, RowOutcome, check_overrides, check_rehearsal, fitted
from remem.tables.significance import SourcedRow, sourced_rows, with_tests
from remem.tables.table import Block, Cell, Row, Table, own_cell
from remem.tables.table_plan import BlockPlan, RowPlan, TablePlan


class AnswersRun(Protocol):
    """A function that answers the questions of a run, or looks up stored answers."""

    def __call__(
        self, config: RunConfig, *, benchmark: Benchmark | None, on_progress: OnProgress
    ) -> RunResult:
        """Return the result of the run."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A table, the errors of failed questions, the results folder, and the costs of the runs.

    `stopped` has the reason for each row that a health check stopped.
    """

    table: Table
    failures: tuple[str, ...]
    results: Path
    costs: tuple[BlockCosts, ...]
    stopped: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """Return the number of failed questions."""
        return len(self.failures)


def reproduce(
    plan: TablePlan,
    overrides: Sequence[str],
    show_progress: ShowProgress,
    *,
    allow_stub: bool = False,
    answered: AnswersRun = run_experiment,
) -> Reproduced:
    """Run every row of a plan and return the table; all rows are composed before any is run.

    Args:
        plan: The plan of the table.
        overrides: Hydra overrides for every row.
        show_progress: Shows the progress of each row.
        allow_stub: Whether a stub may answer. Its rows only test the pipeline and are marked.
        answered: The function that returns the result of a row's run. The default function asks
            the questions that have no answer yet.

    Raises:
        UsageError: A stub is configured but not allowed, or a column has an unknown score.
    """
    check_overrides((_fixed(block, row) for block in plan.blocks for row in block.rows), overrides)
    composed = [[_compose(block, row, overrides) for row in block.rows] for block in plan.blocks]
    if not allow_stub and any(config.llm == STUB for configs in composed for config in configs):
        raise UsageError(
            f"llm={STUB} gives made-up answers, which are not a result; --rehearse makes "
            f"a table of them, with every row marked"
        )
    if answered is run_experiment:  # other functions only look answers up
        check_local_models([config for configs in composed for config in configs])
    failures: list[str] = []
    stopped: list[str] = []
    blocks: list[tuple[Block, list[SourcedRow]]] = []
    costs: list[BlockCosts] = []
    above: list[RowOutcome] = []
    convention = composed[0][0].score_convention()
    for block, configs in zip(plan.blocks, composed, strict=True):
        outcomes = list(_run_rows(block, configs, show_progress, answered, stopped))
        failures += [error for outcome in outcomes for error in outcome.failures]
        costs.append(block_costs(block.title, outcomes))
        notes = (*block_notes(block, outcomes), *pair_notes(block, above, outcomes))
        leading = leading_notes(block, outcomes)
        if block.budgets:
            for outcome in outcomes:
                _write_scores(outcome)
            blocks += budget_blocks(block, outcomes, notes, leading)
        else:
            blocks.append(_block(block, outcomes, notes, leading, convention))
        above = outcomes
    title = _title(plan, _changes(overrides))
    table = Table(named_apart(plan.name, overrides), title, tuple(block for block, _ in blocks))
    table = with_tests(table, [rows for _, rows in blocks], convention)
    results = composed[0][0].results
    return Reproduced(table, tuple(failures), results, tuple(costs), tuple(stopped))


def _block(
    plan: BlockPlan,
    outcomes: Sequence[RowOutcome],
    notes: Sequence[str],
    leading: Sequence[str],
    convention: ScoreConvention,
) -> tuple[Block, list[SourcedRow]]:
    """Return a block with a row for each outcome, and the sources of its rows."""
    rows = tuple(_row(outcome, plan) for outcome in outcomes)
    block = Block(plan.title, plan.columns, rows, tuple(notes), leading=tuple(leading))
    scores = [[] if outcome.is_plumbing else list(outcome.scores.values()) for outcome in outcomes]
    return block, sourced_rows(block, scores, convention)


def named_apart(name: str, overrides: Sequence[str]) -> str:
    """Return the name of a table with its overrides appended, so that files are not overwritten."""
    changes = (re.sub(r"[^\w.=-]+", "_", change) for change in _changes(overrides))
    return "+".join((name, *changes))


def _changes(overrides: Sequence[str]) -> list[str]:
    return [change for change in overrides if not change.startswith(WITHOUT_EFFECT)]


def _title(plan: TablePlan, changes: Sequence[str]) -> str:
    return f"{plan.title} ({', '.join(changes)})" if changes else plan.title


def _compose(block: BlockPlan, row: RowPlan, overrides: Sequence[str]) -> RunConfig:
    config = run_config(compose_config(fitted(_fixed(block, row), overrides)))
    check_rehearsal(config, overrides)
    check_choices(config)  # a misspelt name is refused before hours of answering
    _check_columns(block, config)
    return config


def _fixed(block: BlockPlan, row: RowPlan) -> tuple[str, ...]:
    return (*block.overrides, *row.overrides)


def _check_columns(block: BlockPlan, config: RunConfig) -> None:
    """Check that the rows of a block have every score that its columns name.

    Raises:
        UsageError: A column names a score that its rows do not have.
    """
    score_names = (*config.score_convention().score_names, *REFUSAL_SCORES)
    for column in block.columns:
        if column.score not in score_names:
            raise UsageError(
                f"block {block.title!r}, column {column.heading!r}: its rows have no score "
                f"{column.score!r}; add +score={column.score} to the overrides of the block"
            )


def _run_rows(
    block: BlockPlan,
    configs: Sequence[RunConfig],
    show_progress: ShowProgress,
    answered: AnswersRun,
    stopped: list[str],
) -> Iterator[RowOutcome]:
    """Yield the outcome of each row; if a health check stops a row, add the reason to `stopped`."""
    benchmark: Benchmark | None = None
    built_from: object = None
    for row, config in zip(block.rows, configs, strict=True):
        if benchmark is None or built_from != config.settings.dataset.build:
            benchmark, built_from = config.build_benchmark(), config.settings.dataset.build
        if missing := missing_evidence(config, all_questions(benchmark)):
            yield RowOutcome(row, config, missing=missing)
            continue
        price = stage_prices(config)["read"]
        with show_progress(f"{config.dataset}: {config.label}", price) as on_progress:
            try:
                result = answered(config, benchmark=benchmark, on_progress=on_progress)
            except (ImportError, NotRunError, NotServedError) as error:  # it costs no other row
                yield RowOutcome(row, config, missing=str(error))
            except UnhealthyMemoryError as error:
                stopped.append(f"{config.label}: {error}")
                yield RowOutcome(row, config, missing=str(error))
            else:
                yield RowOutcome(row, config, Run.of(config, result))


def row_marks(config: RunConfig) -> Iterator[str]:
    """Yield the warnings for a row: a stub answered it, or its model is too small for its role."""
    if config.llm == STUB:
        yield REHEARSED
    if config.settings.llm.mark:
        yield config.settings.llm.mark
    if is_plumbing(config):
        yield "plumbing: no score"


def _row(outcome: RowOutcome, block: BlockPlan) -> Row:
    """Return a row of the table; also write the scores of its run."""
    config, run = outcome.config, outcome.run
    cells: list[Cell | None] = [None] * len(block.columns)
    causes: Mapping[str, int] = {}
    _write_scores(outcome)
    if run is not None and not outcome.missing and not outcome.is_plumbing:
        cells = [own_cell(column, run.summary) for column in block.columns]
        causes = recorded_diagnosis(run).counts
    return Row(
        label=config.label,
        llm=config.llm,
        answered=len(outcome.scores),
        total=len(outcome.records),
        cells=tuple(cells),
        note=", ".join(filter(None, (outcome.plan.note, *row_marks(config)))),
        prompts=prompt_origin(config.prompts),
        judge_prompt=config.judge_prompt,
        run=outcome.folder_name,
        causes=causes,
    )


def _write_scores(outcome: RowOutcome) -> None:
    """Write the scores of the run of a row, if it has one."""
    if outcome.run is not None and not outcome.missing:
        outcome.run.write_scores()
