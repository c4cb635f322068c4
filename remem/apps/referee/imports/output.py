"""The output of `remem referee import`: tables for people, and values for JSON."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table as RichTable
from rich.text import Text

from remem.apps.referee.imports.aggregates import aggregates, main_aggregate
from remem.apps.referee.imports.census import KINDS, census
from remem.apps.referee.imports.written_run import WrittenRun
from remem.metrics.intervals import Interval
from remem.results.run_notes import bracketed


def show_imports(runs: Sequence[WrittenRun]) -> RichTable:
    """Return a table of runs: the published score, and the score recomputed from the answers."""
    table = RichTable(
        caption="recomputed: the mean of the published verdicts, with its 95% interval "
        "over questions"
    )
    for heading in ("run", "data", "verdicts by"):
        table.add_column(heading, overflow="fold")
    for heading in ("answers", "published", "recomputed"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        imported, aggregate = run.matched.imported, main_aggregate(run.matched.imported)
        published = None if aggregate is None else aggregate.published
        mean = None if aggregate is None else aggregate.recomputed
        table.add_row(
            Text(imported.label),
            run.config.dataset,
            Text(imported.main or "-"),
            f"{len(run.matched.answers):,}",
            "-" if published is None else _hundredths(published),
            "-" if mean is None else _recomputed(mean, len(run.matched.answers)),
        )
    return table


def show_census(runs: Sequence[WrittenRun]) -> RichTable:
    """Return a table of runs: the number of answers of each kind, and of leaked gold answers."""
    table = RichTable(
        caption="each answer has one kind; leaked: the gold answer reached the reader "
        "without the memory"
    )
    table.add_column("run", overflow="fold")
    for heading in (*KINDS, "leaked"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        run_census = census(run.matched)
        counts = (str(run_census.counts[kind]) for kind in KINDS)
        table.add_row(Text(run.matched.imported.label), *counts, str(len(run_census.leaked)))
    return table


def run_json(run: WrittenRun) -> dict[str, Any]:
    """Return the JSON fields of an imported run: its folder, source, counts and published means."""
    matched = run.matched
    return {
        "folder": run.folder,
        "label": matched.imported.label,
        "format": matched.imported.format,
        "file": matched.imported.file.name,
        "dataset": run.config.dataset,
        "answers": len(matched.answers),
        "failed": sum(answer.answer.answer is None for answer in matched.answers),
        "account": matched.account,
        "not_answered": matched.not_answered,
        "not_stated": matched.missing,
        "not_read": matched.imported.unread,
        "aggregates": aggregates(matched.imported),
        "census": census(matched),
    }


def _recomputed(mean: Interval, answers: int) -> str:
    """Return a mean, with the number of verdicts if answers without a gold have some too."""
    of = f" of {mean.n:,}" if mean.n != answers else ""
    return f"{_hundredths(mean.mean)} {bracketed(mean, '.1f', 100)}{of}"


def _hundredths(share: float) -> str:
    """Return a share times 100 with two digits; rounding errors must not tip a half.

    >>> _hundredths(0.41125), _hundredths(0.41125000000000006)
    ('41.12', '41.12')
    """
    return f"{round(100 * share, 9):.2f}"
