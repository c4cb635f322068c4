"""What `remem import --json` prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.apps.referee.imports.aggregates import Aggregate, aggregates
from remem.apps.referee.imports.census import Census, census
from remem.apps.referee.imports.checked_runs import Finding
from remem.apps.referee.imports.system_ranking import Ranking
from remem.apps.referee.imports.written_run import WrittenRun


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
    census: Census


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutput:
    """The runs that were imported; findings and rankings are empty unless asked for."""

    command: str = "import"
    runs: tuple[ImportedRunOutput, ...]
    findings: tuple[Finding, ...]
    rankings: tuple[Ranking, ...]


def import_output(
    runs: Sequence[WrittenRun], findings: Sequence[Finding], rankings: Sequence[Ranking]
) -> ImportOutput:
    """Return imported runs as they are written, with what was found."""
    return ImportOutput(
        runs=tuple(map(_run, runs)), findings=tuple(findings), rankings=tuple(rankings)
    )


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
        census=census(matched),
    )
