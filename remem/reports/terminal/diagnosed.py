"""Show in one table why the answers of runs are wrong, and what to fix first in each run."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.memory.lost_evidence import LostBy
from remem.metrics.intervals import Share
from remem.results.diagnosis import ADVICE, CAUSES, OF_MEMORY, OF_READER, Cause, Diagnosis

STEP_ADVICE: Mapping[LostBy, str] = {
    "time condition": "the calls' time conditions exclude it",
    "ranked below top_k": "the same calls find it among ten times as many items",
    "tool not called": "the other retrieval tool finds it with the same words",
    "words of the planner": "the question itself finds it",
    "search": "none of these changes finds it",
}
"""What shows, for each step of REMem, that this step lost stored evidence."""


def show_diagnoses(diagnoses: Sequence[Diagnosis]) -> RichTable:
    """Return a table with a row for each cause and a column for each run.

    If there is only one run, each category also has a column.
    """
    table = RichTable(
        box=box.SIMPLE_HEAD,
        caption="number, share of the run's wrong answers, its 95% interval in per cent",
    )
    table.add_column("wrong answers")
    columns = [diagnosis.shares() for diagnosis in diagnoses]
    for diagnosis in diagnoses:
        table.add_column(Text(diagnosis.label), justify="right", overflow="fold")
    if len(diagnoses) == 1:
        for category in sorted(set(diagnoses[0].categories.values())):
            table.add_column(Text(category), justify="right")
            columns.append(diagnoses[0].shares(category))
    for cause in CAUSES:
        if any(cause in shares for shares in columns):
            of_runs = (_share_text(shares.get(cause)) for shares in columns[: len(diagnoses)])
            counts = (str(_count(shares, cause)) for shares in columns[len(diagnoses) :])
            table.add_row(*map(Text, (cause, *of_runs, *counts)))
    return table


def _share_text(share: Share | None) -> str:
    if share is None:
        return "0"
    return f"{share.count} {share.mean:.0%} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _count(shares: Mapping[Cause, Share], cause: Cause) -> int:
    return shares[cause].count if cause in shares else 0


def fix_first(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield how many answers are wrong, and what to fix first in the memory and in the reader."""
    wrong, answered = len(diagnosis.causes), len(diagnosis.answered)
    yield f"{diagnosis.label}: {wrong:,} of {answered:,} answers are wrong by {diagnosis.score}."
    shares = diagnosis.shares()
    for part, causes in (("memory", OF_MEMORY), ("reader", OF_READER)):
        cause = max(causes, key=lambda cause: _count(shares, cause))
        if count := _count(shares, cause):
            steps = list(_by_step(diagnosis)) if cause == "stored, not recalled" else []
            advice = "Where stored messages are lost:" if steps else f"{ADVICE[cause]}."
            yield f"  Fix first in the {part}: {cause} ({count:,}). {advice}"
            yield from steps


def _by_step(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield the losses and the advice for each step of REMem, the largest loss first."""
    counts = Counter(diagnosis.lost_by.values())
    for step, count in counts.most_common():
        yield f"    {step} ({count:,}): {STEP_ADVICE[step]}."
