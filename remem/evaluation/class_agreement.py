"""Compare a classification with the published temporal classes: accuracy and confusions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rich import box
from rich.table import Table as RichTable

from remem.evaluation.temporal_classes import CLASSES, TemporalClass


@dataclass(frozen=True, slots=True)
class Confusion:
    """The number of questions for each pair of published class and assigned class."""

    counts: Mapping[tuple[TemporalClass, TemporalClass], int]

    @property
    def questions(self) -> int:
        """The number of questions."""
        return sum(self.counts.values())

    @property
    def right(self) -> int:
        """The number of questions whose assigned class is the published one."""
        return sum(count for (published, told), count in self.counts.items() if published == told)


def confusion(
    published: Mapping[str, TemporalClass], told: Mapping[str, TemporalClass]
) -> Confusion:
    """Compare two classifications of the questions that both have.

    >>> found = confusion({"a": "order", "b": "order"}, {"a": "order", "b": "other", "c": "order"})
    >>> found.right, found.questions
    (1, 2)
    """
    return Confusion(
        Counter((name, told[query]) for query, name in published.items() if query in told)
    )


def show_confusion(found: Confusion, by: str) -> RichTable:
    """Return a table with a row for each published class and a column for each assigned class."""
    share = found.right / found.questions if found.questions else 0.0
    table = RichTable(
        title=f"Told {by}: {found.right} of {found.questions} as published, accuracy {share:.3f}",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for heading in ("published", *(class_name.replace("_", " ") for class_name in CLASSES)):
        table.add_column(heading, justify="left" if heading == "published" else "right")
    for published in CLASSES:
        counts = (found.counts.get((published, told), 0) for told in CLASSES)
        table.add_row(published.replace("_", " "), *(str(count or "-") for count in counts))
    return table
