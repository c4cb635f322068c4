"""Which counts give the printed precision, recall and F1 of refusals, under 446 or 444?"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from remem.paper.check import Check, Tables, agree
from remem.paper.layout import PaperTable
from remem.paper.numbers import Number

UNANSWERABLE = (446, 444)
"""Category 5 of LoCoMo, with and without the two questions that have an answer."""


SAME_RUN = {"Graphiti": ("Graphiti",), "Mem0": ("Mem0",), "REMem": ("REMem-I", "REMem-S")}
"""The rows of the refusal table, and the rows of LoCoMo that they should come from."""


def refusal_counts(tables: Tables) -> Iterator[Check]:
    """Check each row of the table of refusals under both numbers of unanswerable questions."""
    table = tables["refusal"]
    for unanswerable in UNANSWERABLE:
        for row in table.rows:
            refusals, *scores = (
                table.cells[row, column.heading].number for column in table.columns
            )
            right = right_refusals(int(refusals.value), scores, unanswerable)
            yield Check(
                "counts of refusals",
                f"refusal | {row}",
                " / ".join(score.printed for score in scores),
                f"{_listed(right)} right of {refusals.printed}, {unanswerable} unanswerable",
                "0.05",
                bool(right),
                _note(table, row, right, unanswerable),
            )


def refused_adversarial(tables: Tables) -> Iterator[Check]:
    """Check the adversarial F1, a share of refusals, against the right refusals of this table."""
    table = tables["refusal"]
    for row, memories in SAME_RUN.items():
        refusals, *scores = (table.cells[row, column.heading].number for column in table.columns)
        for right in right_refusals(int(refusals.value), scores, min(UNANSWERABLE)):
            for memory in memories:
                printed = tables["locomo_2"].cells[memory, "adversarial f1"]
                share = Decimal(100 * right) / max(UNANSWERABLE)
                # The two questions with an answer may have been refused as well.
                extra = Decimal(100 * (max(UNANSWERABLE) - min(UNANSWERABLE))) / max(UNANSWERABLE)
                note = f"{right} right refusals of {row} in the table of refusals"
                yield agree("refusals twice", printed, share, extra + printed.number.slack, note)


def right_refusals(refusals: int, scores: Sequence[Number], unanswerable: int) -> list[int]:
    """Return all numbers of right refusals that give the printed precision, recall and F1."""
    return [
        right
        for right in range(min(refusals, unanswerable) + 1)
        if all(
            abs(Decimal(200 * right) / twice_of - score.value) <= score.slack
            for twice_of, score in zip(
                (2 * refusals, 2 * unanswerable, refusals + unanswerable), scores, strict=True
            )
        )
    ]


def _listed(right: Sequence[int]) -> str:
    return ", ".join(map(str, right)) or "no number"


def _note(table: PaperTable, row: str, right: Sequence[int], unanswerable: int) -> str:
    if right:
        return ""
    recall = table.cells[row, "locomo refusal_recall"].number
    nearest = round(recall.value * unanswerable / 100)
    value = Decimal(100 * nearest) / unanswerable
    return f"recall {recall.printed}: {nearest}/{unanswerable} = {value:.2f}"
