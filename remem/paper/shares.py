"""Check whether a share of n questions can be the printed number, with its printed interval."""

from collections.abc import Iterator
from decimal import Decimal
from math import sqrt

from remem.paper.check import ROUNDED_MEAN, Check, Tables, all_cells, place_of, shown
from remem.paper.layout import MeasuredQuantity, PaperCell

YES_OR_NO = {"mem0_judge", "tot_em", "locomo_refused"}
"""Conventions that score each question as 0 or 1 (`made_with`)."""

NORMAL_95 = 1.96
WIDTH_MAY_DIFFER = 0.15
"""Maximum difference between bootstrap and normal intervals of a share, including rounding."""


def whole_questions(tables: Tables) -> Iterator[Check]:
    """Check that a whole number of questions gives each share, if n is small enough to decide."""
    for cell in all_cells(tables):
        number = cell.number
        if cell.made_with not in YES_OR_NO or not cell.n or not number.slack:
            continue
        tolerance = number.slack + ROUNDED_MEAN
        if Decimal(100) / cell.n <= 2 * tolerance:
            continue
        right = round(number.value * cell.n / 100)
        nearest = Decimal(100 * right) / cell.n
        yield Check(
            "share of questions",
            place_of(cell),
            number.printed,
            f"{right}/{cell.n} = {shown(nearest)}",
            shown(tolerance),
            abs(nearest - number.value) <= tolerance,
        )


def interval_widths(tables: Tables) -> Iterator[Check]:
    """Check the width of each interval of a share against the number of questions."""
    fewest = _fewest_questions(tables)
    for cell in all_cells(tables):
        number = cell.number
        n = fewest.get(cell.measured)
        if number.minus is None or number.plus is None or not n or cell.made_with not in YES_OR_NO:
            continue
        share = float(number.value) / 100
        half = 100 * NORMAL_95 * sqrt(share * (1 - share) / n)
        mean_half = float(number.minus + number.plus) / 2
        rounding = float(2 * number.slack)
        tolerance = WIDTH_MAY_DIFFER * half + rounding
        lopsided = abs(number.plus - number.minus) > 2 * Decimal(tolerance)
        yield Check(
            "interval of a share",
            place_of(cell),
            f"-{number.minus} +{number.plus}",
            f"±{half:.1f} (n = {n:,})",
            f"{tolerance:.1f}",
            abs(mean_half - half) <= tolerance and not lopsided,
            _note(cell, n, lopsided),
        )


def _fewest_questions(tables: Tables) -> dict[MeasuredQuantity, int]:
    """Return the number of questions behind each number, which may be a sample."""
    found: dict[MeasuredQuantity, int] = {}
    for cell in all_cells(tables):
        if cell.n:
            found[cell.measured] = min(cell.n, found.get(cell.measured, cell.n))
    return found


def _note(cell: PaperCell, n: int, lopsided: bool) -> str:
    if cell.n != n:
        return f"another table says that {n:,} of the {cell.n:,} questions were asked"
    return "one side is much longer than the other" if lopsided else ""
