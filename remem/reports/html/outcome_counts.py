"""Count right and wrong answers and causes of errors; each count links to its questions."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlencode

from remem.benchmarks.category_names import category_name
from remem.results.diagnosis import CAUSES, Cause, recorded_diagnosis
from remem.results.outcomes import OUTCOMES, outcomes_of
from remem.results.run import Run
from remem.run.imported_answers import is_imported

FOUND: tuple[Cause, ...] = ("not recalled", "in the prompt")
"""The causes that need retrieved items and gold evidence."""


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """A bar for one outcome; `start` and `width` are in per cent of all questions."""

    outcome: str
    count: int
    start: float
    width: float
    link: str


@dataclass(frozen=True, slots=True)
class LinkedCount:
    """A number of questions, and the address that shows these questions in the page."""

    count: int
    link: str


@dataclass(frozen=True, slots=True)
class CauseRow:
    """A category's wrong answers: one count per cause, in the order of the table's columns."""

    category: str
    counts: tuple[LinkedCount, ...]


@dataclass(frozen=True, slots=True)
class CauseTable:
    """Wrong answers by category and cause; `note` says why some causes are unknown."""

    causes: tuple[Cause, ...]
    rows: tuple[CauseRow, ...]
    note: str


def outcome_shares(run: Run) -> list[OutcomeShare]:
    """Return the share of each outcome among the questions of a run."""
    counts = Counter(outcomes_of(run).values())
    shares, before = [], 0
    for outcome in OUTCOMES:
        count = counts[outcome]
        if count:
            start, width = (round(100 * part / counts.total(), 2) for part in (before, count))
            shares.append(OutcomeShare(outcome, count, start, width, _link(None, outcome)))
        before += count
    return shares


def cause_table(run: Run) -> CauseTable:
    """Return a table of the causes of a run's wrong answers, over all questions and by category."""
    diagnosis = recorded_diagnosis(run)
    counts = Counter(
        (category, cause)
        for query_id, cause in diagnosis.causes.items()
        for category in (None, diagnosis.categories[query_id])
    )
    if not counts:
        return CauseTable((), (), "")
    tells_evidence = not set(FOUND).isdisjoint(diagnosis.causes.values())
    shown = tuple(
        cause for cause in CAUSES if counts[None, cause] or (cause in FOUND and tells_evidence)
    )
    rows = tuple(
        CauseRow(
            "all" if part.category is None else category_name(run.config.dataset, part.category),
            tuple(
                LinkedCount(counts[part.category, cause], _link(part.category, cause))
                for cause in shown
            ),
        )
        for part in (run.summary.overall, *run.summary.categories)
    )
    return CauseTable(shown, rows, _note(run, some_unknown="evidence not known" in shown))


def _note(run: Run, *, some_unknown: bool) -> str:
    """Return why it is unknown whether the evidence of some wrong answers was found."""
    if is_imported(run.config) and not any(record.retrieved for record in run.records):
        return "These answers were imported without the retrieved items."
    if not any(record.gold.evidence for record in run.records):
        return (
            "These data do not name the messages that hold the answers, so it is not known whether "
            "the evidence was found."
        )
    if some_unknown:
        return (
            "Evidence not known: the question has no gold evidence, or it is not known which "
            "messages the items come from."
        )
    return (
        "remem diagnose tells more about this run: what the memory stores, and "
        "what the reader can use."
    )


def _link(category: str | None, outcome: str) -> str:
    """Return the address, within the page, of the questions of an outcome or a cause."""
    chosen = {} if category is None else {"category": category}
    return f"#{urlencode({**chosen, 'outcome': outcome})}"
