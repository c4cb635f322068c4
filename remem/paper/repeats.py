"""Check that numbers that are printed more than once are the same each time."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from remem.paper.check import Check, Tables, agree, all_cells, place_of
from remem.paper.layout import MeasuredQuantity, PaperCell


def repeated_numbers(tables: Tables) -> Iterator[Check]:
    """Check each number of a row that another table prints too."""
    for first, *others in _by_measured(tables).values():
        for other in others:
            yield agree(
                "repeated number", other, first.number.value, Decimal(0), f"as {place_of(first)}"
            )


def repeated_counts(tables: Tables) -> Iterator[Check]:
    """Check the questions of the temporal categories, which two tables count."""
    first, second = tables["temporal_categories"], tables["temporal_scores"]
    when = [row for row in first.rows if row in second.header.averages["Temporal"]]
    total = sum((first.cells[row, "locomo"].number.value for row in when), Decimal(0))
    note = f"as temporal_categories, {len(when)} rows"
    yield agree(
        "repeated count", second.cells["Temporal", "locomo queries"], total, Decimal(0), note
    )
    for row in first.rows:
        ours = first.cells[row, "locomo"]
        theirs = second.cells[row, "locomo queries"]
        yield agree("repeated count", theirs, ours.number.value, Decimal(0), f"as {place_of(ours)}")


def dataset_counts(tables: Tables) -> Iterator[Check]:
    """Check the questions in the headings of the columns against the table of the datasets."""
    datasets = tables["datasets"]
    asked = {column.group.dataset: column.heading for column in datasets.columns}
    for table in tables.values():
        for group in table.header.groups:
            of_questions = "mean" not in group.metrics and group.title
            if group.category == "all" and group.dataset in asked and group.n and of_questions:
                stated = datasets.cells["# of queries", asked[group.dataset]].number
                yield Check(
                    "questions of a dataset",
                    f"{table.name} | {group.title}",
                    f"{group.n:,}",
                    stated.printed,
                    "0",
                    stated.value == group.n,
                    "as datasets",
                )


def _by_measured(tables: Tables) -> dict[MeasuredQuantity, list[PaperCell]]:
    found: dict[MeasuredQuantity, list[PaperCell]] = defaultdict(list)
    for cell in all_cells(tables):
        if cell.measured.memory:
            found[cell.measured].append(cell)
    return found
