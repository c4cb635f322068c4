"""Write and read the sheet on which a person labels a sample of answers as right or wrong.

The paper's section Human Evaluation labels 100 random questions of LoCoMo. The sheet does not show
the verdicts of judges, so that they do not influence the labels.
"""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from remem.files.csv_text import inert_cell
from remem.files.whole_file import write_whole
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.types import Record

COLUMNS = ("query_id", "category", "question", "gold", "answer", "label")
RUN = "run"
"""The column of a sheet of several runs that has the name of the run."""
MOST_SHOWN = 300


def draw_sample(records: Sequence[Record], size: int, seed: int) -> list[Record]:
    """Draw `size` answered questions at random, and return them in the order of the records.

    Raises:
        ValueError: There are fewer answered questions.
    """
    answered = [record for record in records if record.status == "ok"]
    if size > len(answered):
        raise ValueError(
            f"the run has {len(answered)} answered questions, fewer than the requested {size}"
        )
    chosen = np.random.default_rng(seed).choice(len(answered), size=size, replace=False)
    return [answered[position] for position in sorted(chosen.tolist())]


def write_sheet(path: Path, records: Sequence[Record], refusal_gold: RefusalGold) -> None:
    """Write a CSV sheet of answers with an empty column `label`.

    Raises:
        FileExistsError: The file exists, and may contain labels.
    """
    lines = (
        (
            *(record.query_id, record.gold.category, record.question),
            *(" / ".join(gold_answers(record.gold, refusal_gold)), record.answer, ""),
        )
        for record in records
    )
    write_lines(path, COLUMNS, lines)


def write_lines(path: Path, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Write a new CSV file.

    Raises:
        FileExistsError: The file exists, and may contain labels.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists and may contain labels; choose another file")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([inert_cell(cell) for cell in line] for line in lines)
    write_whole(path, text.getvalue().encode())


def read_labels(path: Path, records: Sequence[Record]) -> dict[str, float]:
    """Return the labels, from 0 (wrong) to 1 (right), by query id; empty labels are left out.

    Args:
        path: A CSV file with the columns `query_id` and `label`. If it has a column `answer`, the
            answers must be those of the records.
        records: The records of the run.

    Raises:
        ValueError: There are no labels, or a label is not a number from 0 to 1 or not for an answer
            of this run.
    """
    labels = {query: label_of(text, query, at) for at, query, text in read_lines(path, records)}
    if not labels:
        raise ValueError(f"{path} has no labels: write 1 (right) or 0 (wrong) into that column")
    return labels


def read_lines(path: Path, records: Sequence[Record]) -> Iterator[tuple[str, str, str]]:
    """Yield the position (path and line), the query id and the text of each label in a sheet.

    Raises:
        ValueError: A question has two labels, or a label is not for an answer of this run.
    """
    answers = {record.query_id: record.answer for record in records if record.status == "ok"}
    seen: set[str] = set()
    for number, line in sheet_rows(path):
        if line["label"].strip():
            where, query = f"{path}:{number}", line["query_id"]
            _check_answer(line, answers, seen, where)
            seen.add(query)
            yield where, query, line["label"].strip()


def sheet_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number and the columns of each line of a sheet; missing cells are empty.

    Raises:
        ValueError: It is no CSV file in UTF-8 with the columns query_id and label.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            if not reader.fieldnames:
                raise ValueError(f"{path} is empty; expected the columns query_id and label")
            if not {"query_id", "label"} <= set(reader.fieldnames):
                columns = str(reader.fieldnames)[:MOST_SHOWN]
                raise ValueError(
                    f"{path} has the columns {columns}; expected query_id and label among them"
                )
            yield from ((reader.line_num, line) for line in reader)
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a CSV file in UTF-8 ({error}); save it as one") from error


def _check_answer(
    line: Mapping[str, str], answers: Mapping[str, str], seen: Collection[str], where: str
) -> None:
    query = line["query_id"]
    if query not in answers:
        raise ValueError(f"{where}: the run has no answer to {query}")
    if query in seen:
        raise ValueError(f"{where}: {query} has two labels, expected one")
    if spaced(line.get("answer", answers[query])) != spaced(answers[query]):
        raise ValueError(f"{where}: the label of {query} belongs to another answer than the run's")


def label_of(text: str, query: str, where: str) -> float:
    """Return a label as a number from 0 (wrong) to 1 (right).

    Raises:
        ValueError: It is not a number from 0 to 1.
    """
    try:
        label = float(text)
    except ValueError:
        label = -1.0
    if not 0 <= label <= 1:
        raise ValueError(f"{where}: the label of {query} is {text!r}, expected 0 to 1")
    return label


def spaced(text: str) -> str:
    """Return a text without what a spreadsheet may have changed."""
    return " ".join(text.removeprefix("'").split())  # a spreadsheet may write other line ends


def questions_on_sheet(path: Path, run: str) -> frozenset[str]:
    """Return the ids of a run's questions on a sheet, with or without a label.

    Args:
        path: A CSV file with the column `query_id`, and `run` if it is of several runs.
        run: The name of the run.

    Raises:
        ValueError: The sheet has no answer of this run.
    """
    rows = (row for _, row in sheet_rows(path))
    found = frozenset(
        row["query_id"] for row in rows if RUN not in row or unescaped(row[RUN]) == run
    )
    if not found:
        raise ValueError(f"{path} has no answer of {run}, expected at least one")
    return found


def unescaped(cell: str) -> str:
    """Return the name of a run without the mark that keeps a spreadsheet from computing it."""
    return cell.removeprefix("'")
