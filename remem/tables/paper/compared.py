"""A table of the paper beside ours as data: each cell has both, their delta and a verdict."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remem.evaluation.interval_text import cautions
from remem.tables.table import Cell

NOT_RUN: Final = "not run"
ABSENT: Final = "-"
"""What stands where the paper prints no number, or a row can have none."""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column of the paper: the group it stands under and its own heading."""

    key: str
    group: str
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCell:
    """One cell; an LLM-free one has neither paper, delta nor verdict.

    `as_text` is ours under the convention that the paper's text names, None where it is the same.
    `instead` stands in the place of ours where there is none, and says more than "not run".
    `command` makes the cell, `runs` are the folders of its records below the results.
    """

    column: str
    ours: Cell | None
    instead: str = ""
    paper: str = ""
    paper_value: float | None = None
    delta: float | None = None
    z: float | None = None
    verdict: str = ""
    reason: str = ""
    differences: tuple[str, ...] = ()
    made_with: str = ""
    as_text: float | None = None
    n: int | None = None
    decimals: int = 1
    command: str = ""
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One row: a cell for each column, None where the paper prints none."""

    label: str
    cells: tuple[ComparedCell | None, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A table in the paper's layout, and a block of LLM-free rows below it."""

    name: str
    number: int
    title: str
    columns: tuple[ComparedColumn, ...]
    rows: tuple[ComparedRow, ...]
    llm_free: tuple[ComparedRow, ...]
    notes: tuple[str, ...]

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes, what is not comparable and why, and a caution if clusters are few."""
        ours = (cell.ours for _, cell in self.cells() if cell.ours is not None)
        return (*self.notes, *self._differences(), *cautions(ours))

    def cells(self) -> Iterator[tuple[ComparedRow, ComparedCell]]:
        """Iterate over all cells with their rows."""
        for row in (*self.rows, *self.llm_free):
            for cell in row.cells:
                if cell is not None:
                    yield row, cell

    def _differences(self) -> Iterator[str]:
        """Say once for each row what its runs have that the paper's had not."""
        for row in self.rows:
            cells = (cell for cell in row.cells if cell is not None)
            said = dict.fromkeys(difference for cell in cells for difference in cell.differences)
            if said:
                yield f"{row.label} is not comparable with the paper's: {'; '.join(said)}."
