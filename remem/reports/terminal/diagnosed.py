"""Why the answers of runs are wrong, as tables and sentences."""

from collections import Counter

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.memory.lost_evidence import LOST_BY
from remem.results.diagnosis import ADVICE, Diagnosis


def show_diagnosis(diagnosis: Diagnosis) -> RichTable:
    """Return a table with a row for each cause: its share, its count by category, and advice."""
    categories = sorted(set(diagnosis.categories.values()))
    wrong = f"{len(diagnosis.causes)} of {len(diagnosis.answered)} answers wrong"
    table = RichTable(
        title=f"{diagnosis.label}: {wrong}",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("cause", "n", "share", *categories, "look at first"):
        table.add_column(heading, overflow="fold")
    by_category = [diagnosis.shares(category) for category in categories]
    for cause, of_all in diagnosis.shares().items():
        shown = f"{of_all.mean:.0%} [{of_all.low:.0%}, {of_all.high:.0%}]"
        counts = (str(part[cause].count if cause in part else 0) for part in by_category)
        table.add_row(*map(Text, (cause, str(of_all.count), shown, *counts, ADVICE[cause])))
    return table


def step_line(diagnosis: Diagnosis) -> str:
    """Return which steps of REMem lost what is stored; "" for other memories."""
    counts = Counter(diagnosis.lost_by.values())
    named = ", ".join(f"{counts[step]} {step}" for step in LOST_BY if counts[step])
    return f"Stored, not recalled, by step: {named}." if named else ""
