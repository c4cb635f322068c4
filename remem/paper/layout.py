"""The layout of a table of the paper: groups of columns, rows, and what each cell measures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from remem.paper.numbers import Number


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
