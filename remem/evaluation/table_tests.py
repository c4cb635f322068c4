"""Read from written tables the corrected p value of the difference between two runs."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("block", "run", "score", "category", "p_holm")
"""The columns that are read from the CSV file of a table."""
TO_RESULTS = "../../../.."
"""The path from the folder of a run, <results>/runs/<dataset>/<method>/<models>, to <results>."""

Line = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TableTest:
    """The p value of a comparison in a table, corrected within its family of comparisons."""

    table: str
    block: str
    comparisons: int
    p_value: float


def table_tests(
    first: Path, second: Path, *, score: str, category: str | None
) -> Iterator[TableTest]:
    """Yield the tests of the difference between two runs in the tables of their results folder.

    A table compares every row with the first row of its block, so one of the runs must be that row.

    Args:
        first: The folder of the first run.
        second: The folder of the second run.
        score: The name of the score.
        category: The category; None for all questions.
    """
    results = (first.resolve() / TO_RESULTS).resolve()
    runs = {folder.resolve() for folder in (first, second)}
    for path in sorted((results / "tables").glob("*/*.csv")):
        lines = _lines(path)
        for block in dict.fromkeys(line["block"] for line in lines):
            of_block = [line for line in lines if line["block"] == block]
            compared_with = (results / of_block[0]["run"]).resolve()
            family = [line for line in of_block if line["score"] == score and line["p_holm"]]
            for line in family:
                asked = line["category"] == (category or "all")
                if asked and {compared_with, (results / line["run"]).resolve()} == runs:
                    yield TableTest(path.stem, block, len(family), float(line["p_holm"]))


def _lines(path: Path) -> Sequence[Line]:
    """Return the lines of a table's CSV file; none if it has no p values."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            return []
        return list(reader)
