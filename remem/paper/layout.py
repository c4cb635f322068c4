"""The layout of a table of the paper: groups of columns, rows, and what each cell measures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from remem.files.shipped import shipped_folder
from remem.files.yaml_text import load_yaml

PRINTED = re.compile(
    r"(?P<sign>[+-]?)\$?(?P<digits>\d[\d,]*(?:\.(?P<decimals>\d+))?)(?P<scale>[kM%]?)"
)
SIDE = re.compile(r"[+-]\d+(?:\.\d+)?")
SCALES = {"k": 1_000, "M": 1_000_000, "%": 1, "": 1}
VERDICTS = {"T": Decimal(1), "F": Decimal(0)}
"""The printed form of the judge's verdicts on the examples."""


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number; `minus` and `plus` are the distances to the ends of its interval.

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
    """Columns under one heading; `metrics` maps each metric to its score convention."""

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
    """The header of a table file; `rows` is the text of the table, one line per row."""

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
    """What a number of the paper measures; numbers that measure the same thing should be equal."""

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
    """A table; `cells` has the cells with a printed number, by (row, column)."""

    name: str
    header: Header
    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], PaperCell]


Tables = Mapping[str, PaperTable]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWith:
    """How a kind of printed number was probably scored, and the evidence for this."""

    score: Mapping[str, Any]
    evidence: str


Kind = TypeVar("Kind")

ABSENT = "-"
OTHER_FILES = {"claims", "made_with"}
"""Files of the folder that have no table."""


def paper_folder() -> Path:
    """Return the folder of the paper's numbers in the installed package, else in the checkout."""
    return shipped_folder("paper/data", "results/paper")


def paper_table_names(folder: Path) -> list[str]:
    """Return the sorted names of the paper's tables in a folder."""
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem not in OTHER_FILES)


def read_tables(folder: Path) -> dict[str, PaperTable]:
    """Read all tables; the keys are their names, in the order of the paper."""
    paths = [path for path in folder.glob("*.yaml") if path.stem not in OTHER_FILES]
    if not paths:
        raise FileNotFoundError(f"no tables in {folder}; install remem again")
    tables = [read_table(path) for path in paths]
    return {table.name: table for table in sorted(tables, key=lambda table: table.header.number)}


def read_table(path: Path) -> PaperTable:
    """Read a table.

    Raises:
        ValueError: The file is malformed; the message names the file and the row.
    """
    header = read_yaml(path, Header)
    columns = tuple(
        Column(f"{group.key} {metric}" if len(group.metrics) > 1 else group.key, group, metric)
        for group in header.groups
        for metric in group.metrics
    )
    heading, *rows = (
        [part.strip() for part in line.split("|")] for line in header.rows.splitlines()
    )
    attributes = heading[1 : len(heading) - len(columns)]
    expected = ["label", *attributes, *(column.heading for column in columns)]
    if heading != expected:
        raise ValueError(f"{path}: the first row is {heading}, expected {expected}")
    cells = {}
    for row in rows:
        if len(row) != len(heading):
            raise ValueError(f"{path}, row {row[0]!r}: {len(row)} parts, expected {len(heading)}")
        for cell in _row_cells(path, header, columns, attributes, row):
            if (cell.row, cell.column) in cells:
                raise ValueError(f"{path}, row {cell.row!r} occurs twice, expected once")
            cells[cell.row, cell.column] = cell
    return PaperTable(path.stem, header, columns, tuple(row[0] for row in rows), cells)


def read_yaml(path: Path, kind: type[Kind]) -> Kind:
    """Read a YAML file and validate its content as type `kind`."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from pydantic import TypeAdapter, ValidationError
    from yaml import YAMLError

    try:
        content: Any = OmegaConf.to_container(load_yaml(path))
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"{path}: {where or 'the file'}: {error.errors()[0]['msg']}") from error
    except (YAMLError, OmegaConfBaseException) as error:
        raise ValueError(f"{path} is not valid YAML: {error}") from error


def _row_cells(
    path: Path,
    header: Header,
    columns: Sequence[Column],
    attributes: Sequence[str],
    row: Sequence[str],
) -> Iterator[PaperCell]:
    label, *parts = row
    given = dict(zip(attributes, parts, strict=False))
    numbers = [
        (column, _number(text, f"{path}, row {label!r}, {column.heading}"))
        for column, text in zip(columns, parts[len(attributes) :], strict=True)
        if text != ABSENT
    ]
    counted = next((int(x.value) for column, x in numbers if column.metric == header.n_from), None)
    for column, number in numbers:
        yield PaperCell(
            table=path.stem,
            row=label,
            column=column.heading,
            number=number,
            measured=_measured(column, given),
            n=counted or _count_questions(header, label, column.group),
            made_with=column.group.metrics[column.metric],
        )


def _number(text: str, where: str) -> Number:
    try:
        return parse_number(text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _measured(column: Column, given: dict[str, str]) -> MeasuredQuantity:
    group = column.group
    metric = given.get("metric", "")
    return MeasuredQuantity(
        memory=given.get("memory") or group.memory,
        reader=given.get("reader", ""),
        ablation=given.get("ablation", ""),
        variant=given.get("variant", ""),
        dataset=given.get("dataset") or group.dataset,
        category=given.get("category") or group.category,
        metric=f"{metric}.{column.metric}" if metric else column.metric,
    )


def _count_questions(header: Header, row: str, group: Group) -> int | None:
    """Count the questions behind a cell; a row's sample is divided in proportion to group size."""
    sample = header.samples.get(row)
    if sample is None or group.n is None:
        return group.n
    return sample * group.n // max(other.n or 0 for other in header.groups)
