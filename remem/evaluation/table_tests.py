"""What written tables say of two runs: the p of their difference, corrected within its family."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("block", "run", "score", "category", "p_holm")
"""What is read of the CSV file of a table."""
TO_RESULTS = "../../../.."
"""From the folder of a run, <results>/runs/<dataset>/<method>/<models>."""

Line = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TableTest:
    """The p of a comparison in a table, corrected together with the others of its family."""

    table: str
    block: str
    comparisons: int
    p_value: float


def table_tests(
    first: Path, second: Path, *, score: str, category: str | None
) -> Iterator[TableTest]:
    """Yield the tests of two runs in the tables written next to them.

    A table compares every row with the first of its block, so one of the two runs must be that.

    Args:
        first: The folder of a run, below the runs of a folder of results.
        second: That of another run.
        score: The score that is compared.
        category: The category that is compared; None for all questions.
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
    """Read the lines of a table; none of one whose cells have no p."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            return []
        return list(reader)
