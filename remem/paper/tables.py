"""The paper's tables as data: results/paper/<table>.yaml, a header and rows between bars.

A number is identified by (table, row, column), which together determine what it measures.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from remem.files.shipped import shipped_folder
from remem.paper.layout import (
    Column,
    Group,
    Header,
    MeasuredQuantity,
    Number,
    PaperCell,
    PaperTable,
    parse_number,
)

Kind = TypeVar("Kind")

ABSENT = "-"
CASES = "cases"
"""The file of the worked examples, and the name of a table of them."""
OTHER_FILES = {CASES, "claims", "made_with"}
"""Files of the folder that have no table."""


def paper_folder() -> Path:
    """Return the folder of the paper's numbers: of the installed package, else of the checkout."""
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
        raise ValueError(f"{path}: the rows begin with {heading}, expected {expected}")
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
        content: Any = OmegaConf.to_container(OmegaConf.load(path))
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"{path}: {where or 'it'}: {error.errors()[0]['msg']}") from error
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
    """Count the questions behind a cell; a sample has its share of each group."""
    sample = header.samples.get(row)
    if sample is None or group.n is None:
        return group.n
    return sample * group.n // max(other.n or 0 for other in header.groups)
