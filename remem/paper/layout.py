"""The layout of a table of the paper: groups of columns, rows, and what each cell measures."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

PRINTED = re.compile(
    r"(?P<sign>[+-]?)\$?(?P<digits>\d[\d,]*(?:\.(?P<decimals>\d+))?)(?P<scale>[kM%]?)"
)
SIDE = re.compile(r"[+-]\d+(?:\.\d+)?")
SCALES = {"k": 1_000, "M": 1_000_000, "%": 1, "": 1}
VERDICTS = {"T": Decimal(1), "F": Decimal(0)}
"""The printed form of the judge's verdicts on the examples."""


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number; `minus` and `plus` are the ends of its interval, as distances.

    >>> number = parse_number("62.10 -1.5 +1.7")
    >>> number.printed, number.value, number.slack, number.plus
    ('62.10', Decimal('62.10'), Decimal('0.005'), Decimal('1.7'))
    """

    printed: str
    value: Decimal
    slack: Decimal
    minus: Decimal | None = None
    plus: Decimal | None = None


def parse_number(text: str) -> Number:
    """Read a number such as 42.4, 1,986, 18.10M, $0.75, -7.0 or T, with or without an interval.

    Raises:
        ValueError: The text is not such a number.
    """
    printed, *sides = text.split()
    ends = [Decimal(side) for side in sides if SIDE.fullmatch(side)]
    if len(sides) not in (0, 2) or len(ends) != len(sides) or (ends and not ends[0] < 0 < ends[1]):
        raise ValueError(f"{text!r} is not a number with an interval such as 42.4 -1.6 +1.6")
    minus, plus = (-ends[0], ends[1]) if ends else (None, None)
    if printed in VERDICTS:
        return Number(printed, VERDICTS[printed], Decimal(0), minus, plus)
    match = PRINTED.fullmatch(printed)
    if match is None:
        raise ValueError(f"{printed!r} is not a number such as 42.4, 1,986, 18.10M or $0.75")
    scale = SCALES[match["scale"]]
    value = Decimal(match["sign"] + match["digits"].replace(",", "")) * scale
    decimals = len(match["decimals"] or "")
    # A count is exact: only what has decimals or a scale was rounded.
    rounded = decimals > 0 or scale > 1 or match["scale"] == "%"
    slack = Decimal(5).scaleb(-decimals - 1) * scale if rounded else Decimal(0)
    return Number(printed, value, slack, minus, plus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Columns under one heading: their metrics, and the score convention that made each."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    key: str
    title: str
    metrics: Mapping[str, str]
    dataset: str = ""
    category: str = ""
    memory: str = ""
    n: int | None = None
    average_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of a table file; `rows` are its lines."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    number: int
    label: str
    groups: tuple[Group, ...]
    rows: str
    samples: Mapping[str, int] = field(default_factory=dict)
    averages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_from: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredQuantity:
    """What a number measures, in this project's names; equal objects should have equal numbers."""

    memory: str
    reader: str
    ablation: str
    variant: str
    dataset: str
    category: str
    metric: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its group and its metric."""

    heading: str
    group: Group
    metric: str


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A number of a table, with its row and column."""

    table: str
    row: str
    column: str
    number: Number
    measured: MeasuredQuantity
    n: int | None
    made_with: str


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table: `cells` by (row, column), without cells in which the paper prints no number."""

    name: str
    header: Header
    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], PaperCell]
