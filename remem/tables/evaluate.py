"""Compare a memory object of the caller with the baselines that need no model."""

import copy
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from remem.config.async_memory import AsyncMemory, with_plain_methods
from remem.config.error_messages import as_usage_errors
from remem.config.override_text import quoted, searched
from remem.config.run_config import RunConfig, configure
from remem.config.settings import our_scores
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.plain_text import inert
from remem.metrics.columns import ScoreColumn
from remem.protocols import Benchmark, Memory
from remem.results.conventions import named_scores
from remem.run.experiment import SerialRunner, run_experiment
from remem.run.progress import OnProgress, no_view
from remem.run.run_result import RunResult
from remem.run.thread_runner import ThreadRunner
from remem.tables.render import as_markdown, write_files
from remem.tables.reproduce import Reproduced, reproduce
from remem.tables.table import Row, Value
from remem.tables.table_plan import RowPlan, TablePlan, read_plan
from remem.tables.terminal_view import as_text

GIVEN = "given_memory"
"""The method name of a row whose memory is an object instead of an entry of `conf/method`."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of `evaluate`: a printable table with the caller's memory and the baselines.

    `errors` are the distinct error messages of failed questions in all rows. `files` are the paths
    of the table as Markdown, LaTeX and CSV; none are written if a question failed.
    """

    made: Reproduced
    errors: tuple[str, ...]
    files: tuple[Path, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows, the caller's memory first."""
        return self.made.table.blocks[0].rows

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the headings of the columns."""
        return tuple(column.heading for column in self.made.table.blocks[0].columns)

    def cell(self, label: str, heading: str) -> Value | None:
        """Return the number in the row `label` and the column `heading`; None if it is missing.

        Raises:
            KeyError: The row or column does not exist.
        """
        if heading not in self.headings:
            raise KeyError(f"unknown column {heading!r}; choose from {', '.join(self.headings)}")
        cell = self._row(label).cells[self.headings.index(heading)]
        return None if cell is None else cell.ours

    def folder(self, label: str) -> Path:
        """Return the folder with the records of a row.

        Raises:
            KeyError: The row does not exist.
        """
        return self.made.results / self._row(label).run

    def _row(self, label: str) -> Row:
        for row in self.rows:
            if row.label == label:
                return row
        labels = ", ".join(row.label for row in self.rows)
        raise KeyError(f"unknown row {label!r}; choose from {labels}")

    def __str__(self) -> str:
        text = as_text(self.made.table)
        if self.errors:
            text += f"\n{self.made.errors} questions have an error, such as: {self.errors[0]}"
        return inert(text)

    def _repr_html_(self) -> str:
        return self.made.table._repr_html_()

    def _repr_markdown_(self) -> str:
        return as_markdown(self.made.table)


def evaluate(
    memory: Memory | AsyncMemory | Callable[[], Memory | AsyncMemory],
    dataset: str = "generated_dialogues",
    *overrides: str,
    label: str = "",
    results: Path | str = "",
    scores: Sequence[str] = (),
    config_dir: Path | str = "",
    packages: Sequence[str] = (),
) -> Evaluation:
    """Evaluate a memory on all questions of a dataset and compare it with the baselines.

    No model is called: the reader counts shared words or, for temporal datasets, parses
    templated questions. The runs of the baselines are stored in `results` and reused; the
    caller's memory is evaluated every time.

    Args:
        memory: An object with `index(history)` and `recall(query)`, or with the coroutines `aindex`
            and `arecall`; it is copied for each history. It can also be a class or function that
            returns such an object when it is called without arguments.
        dataset: An entry of `conf/dataset`; the generated ones need no data files.
        overrides: Hydra overrides for every row, such as "run.histories=2" or "run.limit=10" to
            ask fewer questions.
        label: The label of the memory in the table; the name of its class if empty.
        results: The folder for runs and tables. If empty, it is REMEM_RESULTS, or `results` if
            that variable is not set.
        scores: Further scores, each a column of the table.
        config_dir: A folder with `score/<name>.yaml` for each score that is not built in.
        packages: The packages with the functions of these scores.

    Raises:
        UsageError: `memory` is not a memory and does not return one, or cannot be called without
            arguments; the dataset, a score or an override is unknown, or an override has an invalid
            value.
        FileNotFoundError: The data files of the dataset are missing.
    """
    make = memory_maker(memory)
    named = type(make())
    results_override = (f"paths.results={quoted(str(results))}",) if results else ()
    chosen_overrides = (f"dataset={dataset}", *overrides, *results_override)
    with as_usage_errors():
        chosen = configure(*chosen_overrides)
    admitted = (*chosen.settings.run.packages, *packages)
    columns, scores_overrides = extra_scores(
        scores, Path(config_dir) if config_dir else None, admitted
    )
    if not isinstance(chosen.build_runner(), SerialRunner | ThreadRunner):
        raise UsageError(
            f"runner={chosen.settings.runner.name} cannot send an object to its workers; "
            f"choose runner=serial or runner=threads"
        )
    plan = _plan(chosen, named, label or named.__name__, columns)
    errors: list[str] = []

    def answered(
        config: RunConfig, *, benchmark: Benchmark | None, on_progress: OnProgress
    ) -> RunResult:
        is_given = config.settings.method.name == GIVEN
        config = replace(config, given_memory=make) if is_given else config
        result = run_experiment(config, benchmark=benchmark, on_progress=on_progress)
        errors.extend(record.error for record in result.records if record.status == "error")
        return result

    with as_usage_errors():
        changes = (*chosen_overrides, *scores_overrides)
        reproduced = reproduce(plan, changes, no_view, answered=answered)
    files = (
        ()
        if reproduced.errors
        else write_files(reproduced.table, reproduced.results / "tables" / reproduced.table.name)
    )
    return Evaluation(reproduced, tuple(dict.fromkeys(errors)), files)


def memory_maker(memory: object) -> Callable[[], Memory]:
    """Return a function that makes a new, empty memory for each history.

    Args:
        memory: A memory, which is copied, or a class or function that makes one.

    Raises:
        UsageError: `memory` is not a memory and does not make one, cannot be copied, or cannot be
            called without arguments.
    """
    if callable(memory) and (isinstance(memory, type) or not isinstance(memory, Memory)):
        _check_no_arguments(memory)
        return lambda: _memory(memory())
    try:
        untouched = copy.deepcopy(memory)
    except Exception as error:  # a copy runs the caller's code, which may raise anything
        raise UsageError(
            f"{type(memory).__name__} cannot be copied for each history: {error}; pass its class, "
            f"or a function that makes a new object"
        ) from error
    return lambda: _memory(copy.deepcopy(untouched))


def _check_no_arguments(maker: Callable[..., object]) -> None:
    """Raise UsageError if a class or function cannot be called without arguments."""
    try:
        signature = inspect.signature(maker)
    except ValueError:  # some builtins tell nothing of their arguments
        return
    try:
        signature.bind()
    except TypeError as error:
        name = getattr(maker, "__name__", type(maker).__name__)
        raise UsageError(
            f"{name} cannot be called without arguments: {error}; pass an object, such as "
            f"{name}(...), or a function that makes one, such as lambda: {name}(...)"
        ) from error


def _memory(candidate: object) -> Memory:
    memory = with_plain_methods(candidate)
    if not isinstance(memory, Memory):
        raise UsageError(
            f"{type(candidate).__name__} is not a memory: it needs the methods index(history) and "
            f"recall(query), or the coroutines aindex and arecall"
        )
    return memory


def _plan(
    config: RunConfig, named: type, label: str, columns: tuple[ScoreColumn, ...]
) -> TablePlan:
    """Return the plan of the baselines' table; the caller's memory is added as the first row."""
    temporal = config.settings.dataset.style == "temporal"
    plan = read_plan("baselines-temporal" if temporal else "baselines")
    now = datetime.now(UTC).isoformat()  # its code may have changed, so answers are not reused
    row = RowPlan(
        (
            "method=no_memory",
            f"method.name={GIVEN}",
            f"method.label={quoted(label)}",
            f"method.build._target_={quoted(f'{named.__module__}.{named.__qualname__}')}",
            f"+method.build.asked={quoted(now)}",
        )
    )
    blocks = tuple(
        replace(
            block,
            rows=(row, *block.rows),
            columns=_with_columns(block.columns, columns),
        )
        for block in plan.blocks
    )
    return replace(plan, name=re.sub(r"\W+", "_", label).lower(), blocks=blocks)


def _with_columns(
    shown: tuple[ScoreColumn, ...], added: tuple[ScoreColumn, ...]
) -> tuple[ScoreColumn, ...]:
    """Return the columns of a block, then the added columns whose score the block does not show."""
    scores = {column.score for column in shown if column.category is None}
    return (*shown, *(column for column in dict.fromkeys(added) if column.score not in scores))


def extra_scores(
    names: Sequence[str], config_dir: Path | None, packages: Sequence[str]
) -> tuple[tuple[ScoreColumn, ...], list[str]]:
    """Return the columns of the named scores, and the overrides that add them to a run.

    Args:
        names: The names of the scores.
        config_dir: A folder with `score/<name>.yaml` for each score that is not built in.
        packages: The packages with the functions of these scores.

    Raises:
        UsageError: A score is unknown, or its function is in a package that is not allowed.
    """
    scores_by_name = {score.name: score for score in named_scores(names, (), config_dir, packages)}
    for name in names:
        if name not in scores_by_name:
            raise UsageError(
                f"{name!r} has no mean over questions; choose "
                f"{either(scores_by_name)}{did_you_mean(name, scores_by_name)}"
            )
    ours = {score.name for score in our_scores()}
    added = [name for name in dict.fromkeys(names) if name not in ours]
    overrides = [f"run.packages=[{','.join(packages)}]"] if packages else []
    if added and config_dir is not None:
        overrides += [
            searched(config_dir),
            f"+score=[{','.join(added)}]",
        ]
    columns = tuple(ScoreColumn(scores_by_name[name].heading, name) for name in names)
    return columns, overrides
