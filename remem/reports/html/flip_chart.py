"""A diverging bar for each category: how many questions only one of two runs has right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remem.results.flips import FlipRow
from remem.results.run_names import RunNames

MIDDLE = 50.0
"""Where the bars of both runs begin, in per cent of the width."""


@dataclass(frozen=True, slots=True)
class FlipBar:
    """The flips under a name, drawn to the left and to the right of the middle.

    `left` and `right` are the lengths of the bars in per cent of the width. `same` counts the
    questions that both runs have right or both have wrong; None if nobody can tell.
    """

    name: str
    first: int
    second: int
    same: int | None
    left: float
    right: float
    tip: str


def flip_chart(
    rows: Sequence[FlipRow], names: RunNames, asked: Mapping[str, int] | None = None
) -> list[FlipBar]:
    """Return a bar for each row; the longest bar takes half of the width.

    Args:
        rows: The flips, by name.
        names: The names of the two runs.
        asked: The number of questions of each name, which also has a bar if nothing flipped; None
            if the names are not of questions.
    """
    counted = {row.name: row for row in rows}
    listed = [counted.get(name, FlipRow(name, 0, 0)) for name in sorted({*counted, *(asked or ())})]
    most = max((max(row.first, row.second) for row in listed), default=0) or 1
    return [
        FlipBar(
            name=row.name,
            first=row.first,
            second=row.second,
            same=None if asked is None else asked[row.name] - row.first - row.second,
            left=round(MIDDLE * row.first / most, 2),
            right=round(MIDDLE * row.second / most, 2),
            tip=(
                f"{row.name}: only {names[0]} right on {row.first}, "
                f"only {names[1]} right on {row.second}"
            ),
        )
        for row in listed
    ]
