"""Check the numbers in the paper's prose (results/paper/claims.yaml) against its tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from remem.paper.check import Check, Tables, all_cells, cell_at, shown
from remem.paper.layout import PaperCell
from remem.paper.numbers import Number, parse_number
from remem.paper.tables import read_yaml

Rule = Literal[
    "none",
    "same",
    "difference",
    "ratio",
    "share_of_questions",
    "below",
    "in_a_table",
    "number_of_table",
    "headline",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredValue:
    """A value counted on the released data, or None with a description of what to measure."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    value: str | None
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A number or comparison in the paper's text; `rule` says how it follows from the cells `of`.

    `times` is the number of times it is printed; `spelled` is its wording if it is not a numeral.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    id: str
    place: str
    about: str
    printed: str | None = None
    times: int = 1
    spelled: str = ""
    rule: Rule = "none"
    of: tuple[str, ...] = ()
    measured: MeasuredValue | None = None
    note: str = ""

    def number(self) -> Number:
        """Return the printed number.

        Raises:
            ValueError: The claim has no printed number.
        """
        if self.printed is None:
            raise ValueError(f"claim {self.id!r} has no printed number, but rule {self.rule!r}")
        return parse_number(self.printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A number that the paper sets rather than finds."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    printed: str
    times: int
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """All numbers of the prose."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    results: tuple[Claim, ...]
    settings: tuple[Setting, ...]

    def by_id(self, name: str) -> Claim:
        """Return a claim.

        Raises:
            ValueError: There is no claim with this id.
        """
        found = next((claim for claim in self.results if claim.id == name), None)
        if found is None:
            raise ValueError(f"claims.yaml has no claim {name!r}, which the audit needs: add it")
        return found


def read_claims(folder: Path) -> Claims:
    """Read the claims of a folder of tables."""
    return read_yaml(folder / "claims.yaml", Claims)


def claims_follow(tables: Tables, claims: Claims) -> Iterator[Check]:
    """Check each claim that has a rule against the cells that it names."""
    for claim in claims.results:
        if claim.rule == "in_a_table":
            yield _in_a_table(tables, claim)
        elif claim.rule == "number_of_table":
            number = Decimal(tables[claim.of[0]].header.number)
            yield _check(claim, str(number), Decimal(0), claim.number().value == number)
        elif claim.rule == "below":
            yield _below(claim, [cell_at(tables, place) for place in claim.of])
        elif claim.rule in ARITHMETIC:
            cells = [cell_at(tables, place) for place in claim.of]
            yield _arithmetic(claim, cells)


def _same(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    return cells[0].number.value, max(number.slack, cells[0].number.slack)


def _difference(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    first, second = (cell.number for cell in cells)
    return first.value - second.value, number.slack + first.slack + second.slack


def _ratio(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    first, second = (cell.number for cell in cells)
    ratio = first.value / second.value
    return ratio, number.slack + (first.slack + ratio * second.slack) / second.value


def _share_of_questions(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    part, whole = (Decimal(cell.n or 0) for cell in cells)
    return 100 * part / whole, number.slack


ARITHMETIC: Mapping[str, Callable[[Number, Sequence[PaperCell]], tuple[Decimal, Decimal]]] = {
    "same": _same,
    "difference": _difference,
    "ratio": _ratio,
    "share_of_questions": _share_of_questions,
}
"""Rules that return a value and its maximum distance from the printed number due to rounding."""


def _arithmetic(claim: Claim, cells: Sequence[PaperCell]) -> Check:
    number = claim.number()
    follows, tolerance = ARITHMETIC[claim.rule](number, cells)
    return _check(claim, shown(follows), tolerance, abs(number.value - follows) <= tolerance)


def _below(claim: Claim, cells: Sequence[PaperCell]) -> Check:
    values = [cell.number.value for cell in cells]
    rising = all(a < b for a, b in pairwise(values))
    follows = ", ".join(f"{cell.row} {cell.number.printed}" for cell in cells)
    return _check(claim, follows, Decimal(0), rising)


def _in_a_table(tables: Tables, claim: Claim) -> Check:
    memory, variant, dataset = claim.of
    there = any(
        (cell.measured.memory, cell.measured.variant, cell.measured.dataset)
        == (memory, variant, dataset)
        for cell in all_cells(tables)
    )
    return _check(claim, "a row" if there else "no row of any table", Decimal(0), there)


def _check(claim: Claim, follows: str, tolerance: Decimal, holds: bool) -> Check:
    return Check(
        kind="claim",
        place=f"{claim.place}: {claim.about}",
        printed=claim.printed or "(in words)",
        follows=follows,
        tolerance=shown(tolerance),
        holds=holds,
        note=claim.note,
    )
