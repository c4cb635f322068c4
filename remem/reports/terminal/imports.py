"""Terminal tables of imported runs."""

from collections.abc import Sequence

from rich.table import Table as RichTable

from remem.evaluation.interval_text import bracketed
from remem.imports.aggregates import main_aggregate
from remem.imports.written_run import WrittenRun


def show_imports(runs: Sequence[WrittenRun]) -> RichTable:
    """Return a table of runs: the score that was published, and what the answers give."""
    table = RichTable(caption="recomputed: mean of the published verdicts [95% over questions]")
    for heading in ("run", "data", "verdicts by"):
        table.add_column(heading, overflow="fold")
    for heading in ("answers", "published", "recomputed"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        imported, found = run.matched.imported, main_aggregate(run.matched.imported)
        published = None if found is None else found.published
        mean = None if found is None else found.recomputed
        table.add_row(
            imported.label,
            run.config.dataset,
            imported.main or "-",
            f"{len(run.matched.answers):,}",
            "-" if published is None else f"{100 * published:.2f}",
            "-" if mean is None else f"{100 * mean.mean:.2f} {bracketed(mean, '.1f', 100)}",
        )
    return table
