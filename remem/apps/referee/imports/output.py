"""What `remem referee import` prints of the runs: tables for people, and values for JSON."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table as RichTable
from rich.text import Text

from remem.apps.referee.imports.aggregates import RESAMPLES, aggregates, main_aggregate
from remem.apps.referee.imports.census import KINDS, census
from remem.apps.referee.imports.system_ranking import RankedPairs
from remem.apps.referee.imports.written_run import WrittenRun
from remem.results.run_notes import bracketed


def show_imports(runs: Sequence[WrittenRun]) -> RichTable:
    """Return a table of runs: the score that was published, and what the answers give."""
    table = RichTable(caption="recomputed: mean of the published verdicts [95% over questions]")
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
            "-" if mean is None else f"{_hundredths(mean.mean)} {bracketed(mean, '.1f', 100)}",
        )
    return table


def show_census(runs: Sequence[WrittenRun]) -> RichTable:
    """Return a table of runs with the number of answers of each kind, and those that leaked."""
    table = RichTable(
        caption="each answer is of one kind; leaked: its gold answer did not come from the memory"
    )
    table.add_column("run", overflow="fold")
    for heading in (*KINDS, "leaked"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        run_census = census(run.matched)
        counts = (str(run_census.counts[kind]) for kind in KINDS)
        table.add_row(Text(run.matched.imported.label), *counts, str(len(run_census.leaked)))
    return table


def show_ranking(ranking: RankedPairs) -> RichTable:
    """Return a table of systems, best first, with intervals over questions."""
    table = RichTable(
        title=Text(f"{ranking.format} on {ranking.dataset}, by {ranking.score}"),
        title_justify="left",
        caption="mean over repeats of each question [95% over questions]; +- over repeats alone",
    )
    for heading in ("rank", "system", "repeats", "mean", "+-", "questions"):
        table.add_column(heading, justify="left" if heading == "system" else "right")
    if ranking.base != ranking.score:
        table.add_column(Text(f"rank by {ranking.base}"), justify="right")
    for system in ranking.systems:
        table.add_row(
            str(system.rank),
            Text(system.system),
            str(system.repeats),
            f"{100 * system.mean.mean:.1f} {bracketed(system.mean, '.1f', 100)}",
            "-" if system.over_repeats is None else f"{100 * system.over_repeats:.1f}",
            str(system.mean.n),
            *([] if ranking.base == ranking.score else [str(system.base_rank)]),
        )
    return table


def told_pairs(ranking: RankedPairs) -> str:
    """Return which systems differ by more than chance, and how many pairs may not."""
    apart = [
        f"{pair.first} and {pair.second} ({100 * pair.difference.mean:+.1f}, p {pair.p_holm:.4f})"
        for pair in ranking.pairs
        if pair.told_apart
    ]
    others = f". The others: {', '.join(apart)}" if apart else ""
    return (
        f"{len(ranking.not_told_apart)} of {len(ranking.pairs)} pairs cannot be told apart (paired "
        f"bootstrap over questions with {RESAMPLES:,} draws, or t test if its p is larger; p after "
        f"Holm's correction, which the bootstrap cannot bring below {ranking.least_p:.4f})"
        f"{others}"
    )


def run_json(run: WrittenRun) -> dict[str, Any]:
    """Return an imported run: its folder, its source, its counts, and its published means."""
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


def _hundredths(share: float) -> str:
    """Return a share times 100 with two digits; sums of floats must not tip a half.

    >>> _hundredths(0.41125), _hundredths(0.41125000000000006)
    ('41.12', '41.12')
    """
    return f"{round(100 * share, 9):.2f}"
