"""What `remem import --json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.imports.aggregates import Aggregate, aggregates
from remem.imports.written_run import WrittenRun


@dataclass(frozen=True, slots=True)
class ImportedRunOutput:
    """An imported run: its folder, its source, its counts, and its published means."""

    folder: Path
    label: str
    format: str
    file: str
    dataset: str
    answers: int
    failed: int
    without_gold: int
    not_answered: tuple[str, ...]
    not_stated: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutput:
    """The runs that were imported."""

    command: str = "import"
    runs: tuple[ImportedRunOutput, ...]


def import_output(runs: Sequence[WrittenRun]) -> ImportOutput:
    """Return imported runs as they are written."""
    return ImportOutput(runs=tuple(map(_run, runs)))


def _run(run: WrittenRun) -> ImportedRunOutput:
    matched = run.matched
    return ImportedRunOutput(
        folder=run.folder,
        label=matched.imported.label,
        format=matched.imported.format,
        file=matched.imported.file.name,
        dataset=run.config.dataset,
        answers=len(matched.answers),
        failed=sum(answer.answer.answer is None for answer in matched.answers),
        without_gold=len(matched.without_gold),
        not_answered=matched.not_answered,
        not_stated=matched.missing,
        aggregates=aggregates(matched.imported),
    )
