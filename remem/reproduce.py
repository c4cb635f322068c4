"""Tables: compose the rows that conf/table names, run what is missing, score, and lay out.

A row is (memory, reader, ablation) as a list of overrides; no row is a special case.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from remem.config import RunConfig, compose_config, conf_folder, run_config
from remem.experiment import OnProgress, RunResult, run_experiment
from remem.instantiation import UsageError
from remem.judging import read_verdicts
from remem.llm.endpoint import STUB
from remem.metrics.scores import Summary, summarise
from remem.protocols import Benchmark
from remem.report.run_scores import write_scores
from remem.report.table import Block, Column, Row, Table, cell
from remem.store import read_manifest

WITHOUT_EFFECT = ("paths.", "runner")
"""The groups whose overrides change no number."""

ShowProgress = Callable[[str], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, slots=True)
class RowPlan:
    """A row that is to be run."""

    overrides: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """Rows over the same questions; `overrides` hold for each of them."""

    title: str
    overrides: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[RowPlan, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What conf/table/<name>.yaml says."""

    name: str
    title: str
    blocks: tuple[BlockPlan, ...]

    @property
    def row_count(self) -> int:
        """Count the rows of all blocks."""
        return sum(len(block.rows) for block in self.blocks)


def table_names() -> list[str]:
    """Return the tables that can be asked for."""
    return sorted(path.stem for path in (conf_folder() / "table").glob("*.yaml"))


def read_plan(name: str) -> TablePlan:
    """Read a table's plan; an unknown name raises UsageError with the known ones."""
    if name not in table_names():
        raise UsageError(f"there is no table {name!r}; known are {', '.join(table_names())}")
    content = OmegaConf.to_container(OmegaConf.load(conf_folder() / "table" / f"{name}.yaml"))
    if not isinstance(content, dict):
        raise TypeError(f"conf/table/{name}.yaml: expected a mapping")
    return TablePlan(
        name, content["title"], tuple(_block_plan(block) for block in content["blocks"])
    )


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
    for block, configs in zip(plan.blocks, composed, strict=True):
        runs = list(_run_rows(block, configs, show_progress))
        errors += sum(result.errors for _, _, result in runs)
        rows = tuple(_row(row, config, result, block) for row, config, result in runs)
        notes = (*block.notes, *_unparsed_notes(runs), *_failed_notes(runs))
        blocks.append(Block(block.title, block.columns, rows, notes))
    changes = [change for change in overrides if not change.startswith(WITHOUT_EFFECT)]
    table = Table(_name(plan, changes), _title(plan, changes), tuple(blocks))
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


def _row(row: RowPlan, config: RunConfig, result: RunResult, block: BlockPlan) -> Row:
    summary: Summary = summarise(
        result.records,
        config.score_convention(),
        read_verdicts(config, result.folder, result.records),
    )
    write_scores(result.folder, summary)
    return Row(
        label=config.label,
        llm=config.llm,
        answered=summary.overall.n,
        total=result.total,
        cells=tuple(cell(column, summary) for column in block.columns),
        note=", ".join(filter(None, (row.note, STUB if config.llm == STUB else ""))),
        run=result.folder.relative_to(config.results).as_posix(),
    )


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


def _block_plan(content: Mapping[str, Any]) -> BlockPlan:
    return BlockPlan(
        title=content["title"],
        overrides=tuple(content["overrides"]),
        columns=tuple(Column(**column) for column in content["columns"]),
        rows=tuple(
            RowPlan(tuple(row["overrides"]), row.get("note", "")) for row in content["rows"]
        ),
        notes=tuple(content["notes"]),
    )
