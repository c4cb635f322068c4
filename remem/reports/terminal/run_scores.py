"""Terminal table with the scores of one run."""

from rich.table import Table as RichTable
from rich.text import Text

from remem.metrics.columns import ScoreColumn
from remem.metrics.scores import Summary
from remem.results.interval_text import bracketed, cautions
from remem.tables.table import value
from remem.tables.wide_table import WideTable


def show_scores(label: str, summary: Summary, scores: list[str]) -> WideTable:
    """Return a table of the named scores over all questions and per category, with intervals."""
    table = RichTable(title=label, title_justify="left", caption=_caption(summary))
    headings = map(summary.convention.heading, scores)
    for heading in ("category", "n", *headings):
        table.add_column(heading, justify="right" if heading != "category" else "left")
    for part in (summary.overall, *summary.categories):
        cells = (value(ScoreColumn(score, score, part.category), summary) for score in scores)
        shown = (
            "-" if estimate is None else f"{estimate.mean:.1f} {bracketed(estimate, '.1f')}"
            for estimate in cells
        )
        count = f"{part.n}" if part.n == part.total else f"{part.n}/{part.total}"
        table.add_row(Text(part.category or "all"), count, *shown)
    return WideTable(table)


def _caption(summary: Summary) -> str:
    refusal = summary.refusal
    counts = f"{refusal.refusals} refusals, {refusal.unanswerable} questions are unanswerable"
    return "\n".join((counts, *cautions(summary.means)))
