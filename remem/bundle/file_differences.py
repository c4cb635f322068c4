"""Find where the files of a table differ from the packed files: the first line, or the cells."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pydantic import TypeAdapter

SHOWN = 200

Cell = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of a row that are compared when files differ."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TableCells:
    """The rows of a table of the paper that are compared when its files differ."""

    rows: tuple[RowCells, ...]
    llm_free: tuple[RowCells, ...]


def first_file_difference(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> str:
    """Describe the first line that differs in two sets of files by name; "" if none does."""
    for name in sorted(before.keys() | now.keys()):
        if name not in before or name not in now:
            return f"{name} exists only {'before' if name in before else 'now'}"
        if before[name] != now[name]:
            lines = zip_longest(*(side[name].splitlines(True) for side in (before, now)))
            at, pair = next((at, two) for at, two in enumerate(lines, start=1) if two[0] != two[1])
            was, there = (repr((line or b"").decode(errors="replace")[:SHOWN]) for line in pair)
            return f"{name}, line {at} was {was}, is {there}"
    return ""


def other_cells(before: bytes | None, now: bytes | None) -> dict[str, tuple[Cell, Cell]]:
    """Return the cells that differ between two JSON files of a table of the paper, by position.

    Returns:
        The old and the new cell for each position; empty if one of the files is missing, as for
        tables of `conf/table`, whose cells do not name runs.
    """
    if before is None or now is None:
        return {}
    old, new = _cells(before), _cells(now)
    pairs = {where: (cell, new.get(where)) for where, cell in old.items()}
    return {where: pair for where, pair in pairs.items() if pair[0] != pair[1]}


def _cells(content: bytes) -> dict[str, Cell]:
    table = TypeAdapter(TableCells).validate_json(content)
    return {
        f"{part} {at}, column {column}": cell
        for part, rows in (("row", table.rows), ("LLM-free row", table.llm_free))
        for at, row in enumerate(rows, start=1)
        for column, cell in enumerate(row.cells, start=1)
    }


def shown(value: object) -> str:
    """Return a value as JSON, cut to `SHOWN` characters."""
    return json.dumps(value, sort_keys=True)[:SHOWN]
