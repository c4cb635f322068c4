"""Tables: compose the rows of a plan, run what is missing, score, and lay out."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from remem.benchmarks.stratified import own_samples
from remem.compare import SCORES, Comparison, Verdicts, compare
from remem.config import RunConfig, compose_config, run_config
from remem.experiment import OnProgress, RunResult, run_experiment
from remem.instantiation import UsageError
from remem.judging import read_verdicts
from remem.llm.endpoint import STUB
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary, score_questions, summarise_questions
from remem.prompts.chosen import whose
from remem.protocols import Benchmark
from remem.report.run_scores import write_scores
from remem.report.table import PERCENT_SCORES, Block, Column, Row, Table, cell
from remem.significance import with_tests
from remem.store import read_manifest
from remem.table_plan import BlockPlan, RowPlan, TablePlan

WITHOUT_EFFECT = (
    *("paths.", "runner", "hydra.searchpath", "run.packages"),
    *("llm.build.endpoint.base_url", "embedder.build.embedder.base_url"),
)
"""How overrides begin that change no number."""

ShowProgress = Callable[[str], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A table, the number of its questions in error, and the folder of results it belongs to."""

    table: Table
    errors: int
    results: Path


def reproduce(
    plan: TablePlan,
    overrides: Sequence[str],
    show_progress: ShowProgress,
    *,
    allow_stub: bool = False,
) -> Reproduced:
    """Run every row of a plan; all are composed before the first runs.

    Args:
        plan: The rows.
        overrides: Hydra overrides for every row.
        show_progress: Called with the label of a row, once for each.
        allow_stub: Whether a loopback stub may answer: its rows show that the line works, and no
            result.
    """
    composed = [[_compose(block, row, overrides) for row in block.rows] for block in plan.blocks]
    if not allow_stub and any(config.llm == STUB for configs in composed for config in configs):
        raise UsageError(
            f"llm={STUB} answers no question in earnest: --allow-stub (make: ALLOW_STUB=1) makes a "
            f"table of it all the same, every row marked"
        )
    errors = 0
    blocks = []
    scores: list[list[list[QuestionScores]]] = []
    for block, configs in zip(plan.blocks, composed, strict=True):
        runs = list(_run_rows(block, configs, show_progress))
        errors += sum(result.errors for _, _, result in runs)
        asked = [_questions(config, result) for _, config, result in runs]
        rows = tuple(
            _row(*run, block, questions) for run, questions in zip(runs, asked, strict=True)
        )
        scores.append(asked)
        notes = (*block.notes, *_sample_notes(runs), *_unparsed_notes(runs), *_failed_notes(runs))
        notes = (*notes, *_paired_notes(block, runs))
        blocks.append(Block(block.title, block.columns, rows, notes))
    changes = [change for change in overrides if not change.startswith(WITHOUT_EFFECT)]
    table = Table(_name(plan, changes), _title(plan, changes), tuple(blocks))
    table = with_tests(table, scores, composed[0][0].score_convention())
    return Reproduced(table, errors, composed[0][0].results)


def _name(plan: TablePlan, changes: Sequence[str]) -> str:
    """Name a table of other settings apart, so that it never overwrites the plain one."""
    return "+".join((plan.name, *(re.sub(r"[^\w.=-]+", "_", change) for change in changes)))


def _title(plan: TablePlan, changes: Sequence[str]) -> str:
    return f"{plan.title} ({', '.join(changes)})" if changes else plan.title


Run = tuple[RowPlan, RunConfig, RunResult]


def _compose(block: BlockPlan, row: RowPlan, overrides: Sequence[str]) -> RunConfig:
    config = run_config(compose_config([*block.overrides, *row.overrides, *overrides]))
    config.score_convention()  # a misspelt one is refused before hours of answering
    return config


def _run_rows(
    block: BlockPlan, configs: Sequence[RunConfig], show_progress: ShowProgress
) -> Iterator[Run]:
    benchmark: Benchmark | None = None
    built_from: object = None
    for row, config in zip(block.rows, configs, strict=True):
        if benchmark is None or built_from != config.resolved["dataset"]:
            benchmark, built_from = config.build_benchmark(), config.resolved["dataset"]
        with show_progress(f"{config.dataset}: {config.label}") as on_progress:
            yield row, config, run_experiment(config, benchmark=benchmark, on_progress=on_progress)


def _questions(config: RunConfig, result: RunResult) -> list[QuestionScores]:
    return score_questions(result.records, config.score_convention(), _verdicts(config, result))


def _row(
    row: RowPlan,
    config: RunConfig,
    result: RunResult,
    block: BlockPlan,
    questions: Sequence[QuestionScores],
) -> Row:
    asked = [record.gold.category for record in result.records]
    summary: Summary = summarise_questions(questions, asked, config.score_convention())
    write_scores(result.folder, summary)
    return Row(
        label=config.label,
        llm=config.llm,
        answered=summary.overall.n,
        total=result.total,
        cells=tuple(cell(column, summary) for column in block.columns),
        note=", ".join(filter(None, (row.note, STUB if config.llm == STUB else ""))),
        prompts=whose(config.prompts),
        judge_prompt=config.judge_prompt,
        run=result.folder.relative_to(config.results).as_posix(),
    )


def _verdicts(config: RunConfig, result: RunResult) -> Verdicts:
    return read_verdicts(config, result.folder, result.records)


def _sample_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Say of which part of the data the questions are, where that was our own choice."""
    manifests = (read_manifest(result.folder) for _, _, result in runs)
    names = (file["name"] for manifest in manifests for file in manifest.get("data", []))
    yield from (f"Data: {name}." for name in own_samples(names))


def _unparsed_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Say how many questions the symbolic planner gave up without a search."""
    for _, config, result in runs:
        if config.planner == "symbolic":
            given_up = sum(
                len(record.steps) == 1 and record.steps[0].tool == "output_answer"
                for record in result.records
            )
            share = 100 * given_up / max(result.total, 1)
            yield (
                f"{config.label}: {given_up} of {result.total} questions ({share:.1f}%) "
                f"could not be parsed."
            )


def _failed_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Say how many episodes gave nothing to the index."""
    for _, config, result in runs:
        failed = len(read_manifest(result.folder).get("failed_episodes", []))
        if failed:
            yield f"{config.label}: {failed} episodes failed, their messages are in no graph."


def _paired_notes(block: BlockPlan, runs: Sequence[Run]) -> Iterator[str]:
    """Compare each added row with every other, question by question, in the first column."""
    column = block.columns[0]
    if column.score not in SCORES:
        return
    for at, (row, config, result) in enumerate(runs):
        others = (run for other, run in enumerate(runs) if row.added and other != at)
        for _, other_config, other in others:
            found = compare(
                result.records,
                other.records,
                score=column.score,
                category=column.category,
                convention=config.score_convention(),
                verdicts=(_verdicts(config, result), _verdicts(other_config, other)),
            )
            yield _paired_note(column, config, other_config, found)


def _paired_note(column: Column, config: RunConfig, other: RunConfig, found: Comparison) -> str:
    scale = 100 if column.score in PERCENT_SCORES else 1
    gap = found.difference
    return (
        f"{config.label} against {other.label}: {column.heading} {scale * gap.mean:+.1f} "
        f"[{scale * gap.low:+.1f}, {scale * gap.high:+.1f}], better on {found.first_better}, "
        f"worse on {found.second_better} of {gap.n} questions."
    )
