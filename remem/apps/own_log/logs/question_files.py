"""The records of a file of questions: JSON Lines, JSON, CSV, TSV, Parquet or Arrow, or a folder.

A folder is a data set as Hugging Face's `datasets` stores it: the file or files of one split.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from remem.apps.own_log.logs.arrow_files import arrow_rows, parquet_rows
from remem.apps.own_log.logs.json_messages import FIX_LINE, json_lines
from remem.apps.own_log.logs.log import LogFile
from remem.apps.own_log.logs.whole_files import read_content, text_of
from remem.files.json_text import parse_json

DELIMITERS = (",", ";", "\t")
NOT_DATA = frozenset({"dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json"})
"""Files that describe a Hugging Face data set."""
PART = re.compile(r"-\d+-of-\d+$")
"""The ending of the name of a part, as in test-00000-of-00002.parquet."""

Stated = tuple[Any, str]
"""A record with its place, such as "questions.jsonl:3"."""


def question_files(path: Path) -> list[Path]:
    """Return the file itself, or the data files of a folder.

    Raises:
        FileNotFoundError: There is no such file or folder.
        ValueError: The folder has no data, or more than one split; or the format is unknown.
    """
    readers = _readers()
    if path.is_dir():
        return _only_split(path, readers)
    if not path.is_file():
        raise FileNotFoundError(f"no such question file: {str(path)!r} (relative to {Path.cwd()})")
    if path.suffix.lower() not in readers:
        raise ValueError(
            f"{path} is of an unknown format; expected a file of questions that ends in "
            f"{', '.join(readers)}, or a folder with such files"
        )
    return [path]


def read_records(path: Path) -> Iterator[Stated]:
    """Yield the records of one file of questions, each with its place.

    Raises:
        ValueError: The file is larger than a data file may be, or a record cannot be read.
        ImportError: The file needs pyarrow, which is not installed.
    """
    yield from _readers()[path.suffix.lower()](path)


def _readers() -> Mapping[str, Callable[[Path], Iterator[Stated]]]:
    return {
        ".jsonl": _json_lines,
        ".json": _json_list,
        ".csv": _cells,
        ".tsv": _cells,
        ".parquet": parquet_rows,
        ".arrow": arrow_rows,
    }


def _only_split(folder: Path, readers: Mapping[str, object]) -> list[Path]:
    splits: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in readers and path.name not in NOT_DATA and path.is_file():
            splits.setdefault(_split(path.relative_to(folder)), []).append(path)
    if not splits:
        raise ValueError(f"{folder} has no file that ends in {', '.join(readers)}")
    if len(splits) > 1:
        first = next(iter(splits.values()))[0]
        raise ValueError(
            f"{folder} has {len(splits)} sets of questions ({', '.join(splits)}), expected one; "
            f"name one of its files, such as {first}"
        )
    return next(iter(splits.values()))


def _split(path: Path) -> str:
    return path.with_name(PART.sub("", path.stem)).as_posix()


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
            f"{where} has {len(cells)} cells, expected {len(names)} as in the first line; put a "
            f"text that contains the separator in double quotes"
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
