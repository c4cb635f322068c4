"""Read the records of a file of questions: JSON Lines, JSON, CSV or TSV."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from remem.apps.own_log.logs.json_messages import FIX_LINE, json_lines
from remem.apps.own_log.logs.log import LogFile
from remem.apps.own_log.logs.whole_files import read_content, text_of
from remem.files.json_text import parse_json

DELIMITERS = (",", ";", "\t")

Stated = tuple[Any, str]
"""A record with its place, such as "questions.jsonl:3"."""


def read_records(path: Path) -> Iterator[Stated]:
    """Yield each record of a file of questions, with its place in the file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The format is unknown, the file is larger than a data file may be, or a record
            cannot be read.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no such question file: {str(path)!r} (relative to {Path.cwd()})")
    readers: Mapping[str, Callable[[Path], Iterator[Stated]]] = {
        ".jsonl": _json_lines,
        ".json": _json_list,
        ".csv": _cells,
        ".tsv": _cells,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(
            f"{path} has an unknown extension; expected a file of questions in one of the formats "
            f"{', '.join(readers)}"
        )
    yield from reader(path)


def _json_lines(path: Path) -> Iterator[Stated]:
    return json_lines(LogFile(path, text_of(path)))


def _json_list(path: Path) -> Iterator[Stated]:
    listed = parse_json(read_content(path), str(path), "fix it there")
    if not isinstance(listed, list):
        raise ValueError(
            f"{path} is {type(listed).__name__}, expected a list of questions; a file with one "
            f"question per line must end in .jsonl"
        )
    for number, record in enumerate(listed, start=1):
        yield record, f"{path}, question {number}"


def _cells(path: Path) -> Iterator[Stated]:
    """Yield the rows of a CSV or TSV file; the place of a row is its first line."""
    text = text_of(path)
    header = text.partition("\n")[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    while True:
        where = f"{path}:{rows.line_num + 1}"
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise ValueError(f"{where} is not a row of CSV ({error}): {FIX_LINE}") from error
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if names:
            yield _row(names, cells, where), where
        else:
            names = [name.strip() for name in cells]


def _row(names: list[str], cells: list[str], where: str) -> dict[str, Any]:
    if len(cells) != len(names):
        raise ValueError(
            f"{where} has {len(cells)} cells, expected {len(names)} as in the first line; if a "
            f"text contains the separator, put double quotes around the text"
        )
    row: dict[str, Any] = dict(zip(names, cells, strict=True))
    if "evidence" in row:
        row["evidence"] = [
            _number(word, where) for word in re.findall(r"[^\s,;]+", row["evidence"])
        ]
    return row


def _number(word: str, where: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise ValueError(
            f"'evidence' of {where} has {word!r}, expected message numbers, such as '3 5'"
        )
    return int(word)
