"""Read the rows of a file of answers: JSON Lines, JSON, CSV or TSV."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from remem.apps.referee.imports.mapping import OF_ANSWER, Parts, keys_of, rows_in
from remem.apps.referee.imports.source_file import FIX, SourceFile

ALTERNATIVES = " | "
"""What separates gold answers in a cell."""
TRUTH = {"true": True, "yes": True, "false": False, "no": False}
DELIMITERS = (",", ";", "\t")
BLANK = " \r\n" + "".join(DELIMITERS)
MOST_COLUMNS = 1_000
LONGEST_CELL = 32 * 2**20


def rows_of(source: SourceFile, parts: Parts) -> Iterator[tuple[Any, str, str]]:
    """Yield each row of a file with its place and the key of its list.

    Raises:
        ValueError: A row cannot be read, or there is no list where the mapping names one.
    """
    if source.is_json or parts.get("rows", ""):
        yield from rows_in(source.document, parts.get("rows", ""), str(source.path))
    elif source.ending in (".csv", ".tsv"):
        yield from ((row, where, "") for row, where in _cells(source, parts))
    else:
        yield from ((row, where, "") for row, where in source.lines())


def _cells(source: SourceFile, parts: Parts) -> Iterator[tuple[dict[str, object], str]]:
    """Yield the rows of CSV or TSV; the place of a row is its last line."""
    content = source.text()
    header = next((line for line in io.StringIO(content) if line.strip(BLANK)), "")
    delimiter = "\t" if source.ending == ".tsv" else max(DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    keys = {part: {*keys_of(parts, part)} for part in OF_ANSWER}
    keys["any"] = {*keys_of(parts, *OF_ANSWER)}
    names: list[str] = []
    while True:
        try:
            cells = _next_row(rows)
        except csv.Error as error:
            where = f"{source.path}:{rows.line_num}"
            raise ValueError(f"{where} is not a row of CSV ({error}): {FIX}") from error
        where = f"{source.path}:{rows.line_num}"
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = _header(cells, where)
            continue
        if len(cells) != len(names):
            raise ValueError(
                f"{where} has {len(cells)} cells, expected {len(names)} as in the first line; if "
                f"a text contains the separator, put double quotes around the text"
            )
        yield _typed(dict(zip(names, cells, strict=True)), keys), where


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Return the next row, or None at the end; the global limit of the csv module is restored."""
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(limit)


def _header(cells: list[str], where: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    repeated, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{where} has the column {repeated!r} {times} times: remove all but one")
    if len(names) > MOST_COLUMNS:
        raise ValueError(f"{where} has {len(names):,} columns, expected at most {MOST_COLUMNS:,}")
    return names


def _typed(row: Mapping[str, str], keys: Mapping[str, set[str]]) -> dict[str, object]:
    """Return a row with its cells as JSON values; leave out empty cells, except the answer."""
    typed: dict[str, object] = {}
    for name, cell in row.items():
        stripped = cell.strip()
        if name in keys["answer"]:
            typed[name] = cell
        elif stripped == "":
            continue
        elif name in keys["gold"]:
            typed[name] = [part.strip() for part in cell.split(ALTERNATIVES)]
        elif name in keys["evidence"] | keys["retrieved"]:
            typed[name] = re.split(r"[\s;,]+", stripped)
        elif name in keys["answerable"] | keys["cut"] | keys["verdict"]:
            # 1 and 0 mean true and false
            typed[name] = {"1": True, "0": False}.get(stripped, _value(stripped))
        elif name in keys["context_tokens"] or name not in keys["any"]:
            typed[name] = _value(stripped)
        else:
            typed[name] = cell
    return typed


def _value(cell: str) -> object:
    """Return a truth value, a number, or the text itself."""
    truth = TRUTH.get(cell.lower())
    if truth is not None:
        return truth
    try:
        value = float(cell)
    except ValueError:
        return cell
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
