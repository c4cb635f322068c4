"""The scores of one run: written next to its records and shown as a small table."""

from pathlib import Path

from rich.table import Table as RichTable
from rich.text import Text

from remem.adapters import adapter
from remem.metrics.scores import Summary
from remem.report.interval_text import bracketed, cautions
from remem.report.table import Column, cell
from remem.store import write_whole

SCORES = "scores.json"


def scores_name(histories: object, limit: object) -> str:
    """Return the name of the file of scores; those of a part of the questions have their own.

    Args:
        histories: The number of histories the part is limited to; None for no limit.
        limit: The number of questions of each history it is limited to; None for no limit.

    >>> scores_name(None, None), scores_name(None, 5), scores_name(2, 5)
    ('scores.json', 'scores.limit=5.json', 'scores.histories=2,limit=5.json')
    """
    limits = {"histories": histories, "limit": limit}
    part = ",".join(f"{name}={count}" for name, count in limits.items() if count is not None)
    return f"scores.{part}.json" if part else SCORES


def write_scores(path: Path, summary: Summary) -> None:
    """Write a summary as JSON."""
    write_whole(path, adapter(Summary).dump_json(summary, indent=2) + b"\n")


def show_scores(label: str, summary: Summary, scores: list[str]) -> RichTable:
    """Show the named scores over all questions and per category."""
    table = RichTable(title=label, title_justify="left", caption=_caption(summary))
    for heading in ("category", "n", *scores):
        table.add_column(heading, justify="right" if heading != "category" else "left")
    for part in (summary.overall, *summary.categories):
        cells = (cell(Column(score, score, part.category), summary) for score in scores)
        shown = ("-" if one is None else f"{one.mean:.1f} {bracketed(one, '.1f')}" for one in cells)
        count = f"{part.n}" if part.n == part.total else f"{part.n}/{part.total}"
        table.add_row(Text(part.category or "all"), count, *shown)
    return table


def _caption(summary: Summary) -> str:
    refusal = summary.refusal
    counts = f"{refusal.refusals} refusals, {refusal.unanswerable} questions are unanswerable"
    return "\n".join((counts, *cautions(summary.means)))
