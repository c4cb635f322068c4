"""Answers of anybody's as rows: JSON Lines, a JSON list, CSV or TSV with the columns named here."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from remem.apps.referee.imports.fields import as_text, count, identifier, number, share, text, texts
from remem.apps.referee.imports.imported import Flag, ImportedAnswer, ImportedAnswers, RankedItem
from remem.apps.referee.imports.source_file import FIX, SourceFile
from remem.config.suggestions import did_you_mean, either

ID, ANSWER = ("question_id", "query_id", "id"), ("answer", "response", "prediction")
OF_A_RUN = ("system", "repeat", "dataset", "llm")
"""The columns whose values make rows one run."""
COLUMNS = (
    *ID,
    *ANSWER,
    *OF_A_RUN,
    *("history_id", "question", "gold", "category"),
    *(
        "answerable",
        "error",
        "evidence",
        "retrieved",
        "context",
        "context_tokens",
        "prompt",
        "reasoning",
    ),
    *("today", "cut", "correct", "judge"),
)
JUDGE = "judge"
"""The name of a judge that a file does not name."""
ALTERNATIVES = " | "
"""What separates gold answers in a cell."""
TRUTH = {"true": True, "yes": True, "false": False, "no": False}
OF_TRUTH = ("answerable", "cut", "correct")
"""The columns in which 1 and 0 stand for true and false."""
DELIMITERS = (",", ";", "\t")
BLANK = " \r\n" + "".join(DELIMITERS)
MOST_COLUMNS = 1_000
LONGEST_CELL = 32 * 2**20

Row = tuple[Any, str]
"""A row with its place, such as "answers.csv:3"."""


class PlainRows:
    """Reads rows with a column `answer`, and an id or a question with its gold answer."""

    name = "rows"
    about = "JSON Lines, a JSON list or CSV with 'answer', and 'question_id' or 'question'"

    def fits(self, document: object) -> bool:
        """Return whether a JSON document, or the first row of a file of rows, looks like it."""
        first = document[0] if isinstance(document, list) and document else document
        return isinstance(first, dict) and any(name in first for name in ANSWER)

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of each system that the file names.

        Raises:
            ValueError: A row is malformed, or a column is unknown.
        """
        groups: dict[tuple[str, ...], list[ImportedAnswer]] = {}
        for row, where in rows_of(source):
            if not isinstance(row, dict):
                raise ValueError(f"{where} is {type(row).__name__}, expected a row with an answer")
            named = (identifier(row, name, where=where) for name in OF_A_RUN)
            groups.setdefault(tuple(named), []).append(_answer(row, where))
        return tuple(
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system=system or source.stem,
                repeat=repeat,
                corpus=corpus,
                llm=llm,
                answers=tuple(answers),
                main=_main(answers),
            )
            for (system, repeat, corpus, llm), answers in groups.items()
        )


def rows_of(source: SourceFile) -> Iterator[Row]:
    """Yield the rows of a file, each with its place.

    Raises:
        ValueError: A row cannot be read.
    """
    if source.is_json:
        document = source.document
        listed = document if isinstance(document, list) else [document]
        yield from ((row, f"row {at} of {source.path}") for at, row in enumerate(listed))
    elif source.ending in (".csv", ".tsv"):
        yield from _cells(source)
    else:
        yield from source.lines()


def _cells(source: SourceFile) -> Iterator[Row]:
    """Yield the rows of CSV or TSV; the place of a row is its last line."""
    content = source.text()
    header = next((line for line in io.StringIO(content) if line.strip(BLANK)), "")
    delimiter = "\t" if source.ending == ".tsv" else max(DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
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
                f"{where} has {len(cells)} cells, expected {len(names)} as in the first line; put "
                f"a text that contains the separator in double quotes"
            )
        yield _typed(dict(zip(names, cells, strict=True))), where


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Return the next row, or None at the end; the limit of Python's csv stays as others set it."""
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


def _typed(row: Mapping[str, str]) -> dict[str, object]:
    """Return the cells of a row as the values that JSON would have; an empty cell is missing."""
    typed: dict[str, object] = {}
    for name, cell in row.items():
        stripped = cell.strip()
        if name in ANSWER:
            typed[name] = cell
        elif stripped == "":
            continue
        elif name == "gold":
            typed[name] = [part.strip() for part in cell.split(ALTERNATIVES)]
        elif name in ("evidence", "retrieved"):
            typed[name] = re.split(r"[\s;,]+", stripped)
        elif name in OF_TRUTH:
            typed[name] = {"1": True, "0": False}.get(stripped, _value(stripped))
        elif name == "context_tokens" or name not in COLUMNS:
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


def _answer(row: dict[str, Any], where: str) -> ImportedAnswer:
    name, question = identifier(row, *ID, where=where), text(row, "question", where=where)
    if not name and not question:
        raise ValueError(f"{where} has neither {either(ID)} nor a question, expected one of them")
    stated = next((row[key] for key in ANSWER if row.get(key) is not None), None)
    error = text(row, "error", where=where)
    if stated is None and not error:
        raise ValueError(f"{where} has no {either(ANSWER)} and no 'error', expected one of them")
    verdict = row.get("correct")
    judge = identifier(row, "judge", where=where) or JUDGE
    gold, retrieved = row.get("gold"), row.get("retrieved")
    return ImportedAnswer(
        where=where,
        id=name,
        history=identifier(row, "history_id", where=where),
        question=question,
        golds=() if gold is None else texts(gold, f"'gold' of {where}"),
        category=identifier(row, "category", where=where),
        answerable=_truth(row, "answerable", where),
        answer=None if error else as_text(stated, f"the answer of {where}"),
        error=error,
        evidence=texts(row.get("evidence") or [], f"'evidence' of {where}"),
        retrieved=None
        if retrieved is None
        else _ranking(texts(retrieved, f"'retrieved' of {where}")),
        context=text(row, "context", where=where) or None,
        prompt=text(row, "prompt", where=where),
        context_tokens=count(row, "context_tokens", where),
        reasoning=text(row, "reasoning", where=where),
        today=text(row, "today", where=where),
        is_cut=_truth(row, "cut", where),
        verdicts={} if verdict is None else {judge: share(verdict, f"'correct' of {where}")},
        flags=dict(_flags(row, where)),
    )


def _ranking(ids: Iterable[str]) -> tuple[RankedItem, ...]:
    return tuple(RankedItem(name, messages=(name,)) for name in ids)


def _truth(row: dict[str, Any], name: str, where: str) -> bool | None:
    value = row.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"{name!r} of {where} is {str(value)[:60]!r}, expected true or false")


def _flags(row: dict[str, Any], where: str) -> Iterator[tuple[str, Flag]]:
    """Yield the columns that are not named here; they must have numbers or truth values."""
    for name, value in row.items():
        if name in COLUMNS or value is None:
            continue
        if not isinstance(value, bool | int | float):
            raise ValueError(
                f"{where} has the column {name[:60]!r}, which is unknown and no number; expected "
                f"{', '.join(COLUMNS)}{did_you_mean(name, COLUMNS)}"
            )
        is_truth = isinstance(value, bool)
        yield name, value if is_truth else number(value, f"{name[:60]!r} of {where}")


def _main(answers: Iterable[ImportedAnswer]) -> str:
    """Return the judge of a file; the first one if the file has several."""
    return next((judge for answer in answers for judge in answer.verdicts), "")
