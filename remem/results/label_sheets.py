"""Sheets on which a person labels answers: right or wrong, or the kind of an error.

The paper has two such studies. Human Evaluation labels 100 random questions of LoCoMo; the sheet
hides the judges' verdicts, so that they do not influence the labels. Error Analysis labels 100
wrong answers of LoCoMo and 100 of Complex-TR with the paper's kinds of errors, plus "other".
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich import box
from rich.table import Table as RichTable

from remem.files.disk import write_whole
from remem.files.opened import read_text
from remem.files.plain_text import cut, inert_cell
from remem.metrics.intervals import Share, share
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.paper.claims import Claims
from remem.results.divergence import evidence_found
from remem.results.outcomes import RIGHT
from remem.results.run import Run
from remem.types import Record, StepRecord

ANSWER_COLUMNS = ("query_id", "category", "question", "gold", "answer")
COLUMNS = (*ANSWER_COLUMNS, "label")
RUN = "run"
"""The column of a sheet of several runs that has the name of the run."""
MOST_SHOWN = 300
ERROR_COLUMNS = (*ANSWER_COLUMNS, "evidence_found", "evidence_missed", "steps", "label")
LOOKED_AT = 100
"""The number of errors that the paper labelled per dataset: its percentages are counts."""
OTHER = "other"
CHAT: Mapping[str, str] = {
    "selection_or_grounding": "locomo_grounding",
    "time_or_number": "locomo_time",
    "abstention_despite_evidence": "locomo_abstentions",
    OTHER: "",
}
"""The kinds of errors on LoCoMo, each with the id of the paper's claim about its share."""
STATEMENTS: Mapping[str, str] = {
    "time_window": "complex_tr_window",
    "incomplete_or_inconsistent_list": "complex_tr_lists",
    "direction": "complex_tr_direction",
    "abstention_despite_facts": "complex_tr_abstentions",
    OTHER: "",
}
"""The kinds of errors on Complex-TR, each with the id of the paper's claim about its share."""


@dataclass(frozen=True, slots=True)
class ErrorShare:
    """A kind of error: its share of the labelled answers and, if known, its share in the paper."""

    label: str
    share: Share
    paper: Share | None


def draw_sample(records: Sequence[Record], size: int, seed: int) -> list[Record]:
    """Draw `size` answered questions at random, and return them in the order of the records.

    Raises:
        ValueError: There are fewer than `size` answered questions.
    """
    answered = [record for record in records if record.status == "ok"]
    if size > len(answered):
        raise ValueError(
            f"{size} answers are requested, but the number of answers in the run is {len(answered)}"
        )
    chosen = np.random.default_rng(seed).choice(len(answered), size=size, replace=False)
    return [answered[position] for position in sorted(chosen.tolist())]


def write_sheet(path: Path, records: Sequence[Record], refusal_gold: RefusalGold) -> None:
    """Write a CSV sheet of answers with an empty column `label`.

    Raises:
        FileExistsError: The file exists, and may contain labels.
    """
    write_lines(path, COLUMNS, ((*_answer_cells(record, refusal_gold), "") for record in records))


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
        ValueError: There are no labels, or a label is not a number from 0 to 1, or is not for an
            answer of this run.
    """
    labels = {query: label_of(text, query, at) for at, query, text in read_lines(path, records)}
    if not labels:
        raise ValueError(
            f"{path} has no labels; write 1 (right) or 0 (wrong) into the column label"
        )
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
            place, query = f"{path}:{number}", line["query_id"]
            _check_answer(line, answers, seen, place)
            seen.add(query)
            yield place, query, line["label"].strip()


def sheet_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each line of a sheet and its cells by column; missing cells are "".

    Raises:
        ValueError: The file is not CSV in UTF-8 with the columns query_id and label.
    """
    try:
        with io.StringIO(read_text(path), newline="") as file:
            reader = csv.DictReader(file, restval="")
            if not reader.fieldnames:
                raise ValueError(f"{path} is empty; expected the columns query_id and label")
            if not {"query_id", "label"} <= set(reader.fieldnames):
                columns = str(reader.fieldnames)[:MOST_SHOWN]
                raise ValueError(
                    f"{path} has the columns {columns}; expected query_id and label among them"
                )
            yield from ((reader.line_num, line) for line in reader)
    except csv.Error as error:
        raise ValueError(
            f"{path} is not a CSV file in UTF-8 ({error}); save it as CSV in UTF-8"
        ) from error


def _check_answer(
    line: Mapping[str, str], answers: Mapping[str, str], seen: Collection[str], place: str
) -> None:
    query = line["query_id"]
    if query not in answers:
        raise ValueError(f"{place}: the run has no answer to {query}")
    if query in seen:
        raise ValueError(f"{place}: {query} has two labels, expected one")
    if spaced(line.get("answer", answers[query])) != spaced(answers[query]):
        raise ValueError(f"{place}: the labelled answer to {query} is not the answer of the run")


def label_of(text: str, query: str, place: str) -> float:
    """Return a label as a number from 0 (wrong) to 1 (right).

    Raises:
        ValueError: The label is not a number from 0 to 1.
    """
    try:
        label = float(text)
    except ValueError:
        label = -1.0
    if not 0 <= label <= 1:
        raise ValueError(
            f"{place}: the label of {query} is {text!r}, expected a number from 0 to 1"
        )
    return label


def spaced(text: str) -> str:
    """Return a text without the leading quote and extra white space that spreadsheets add."""
    return " ".join(text.removeprefix("'").split())  # a spreadsheet may write other line ends


def questions_on_sheet(path: Path, run: str) -> frozenset[str]:
    """Return the ids of a run's questions on a sheet, with or without a label.

    Args:
        path: A CSV file with the column `query_id` and, if it has several runs, the column `run`.
        run: The name of the run.

    Raises:
        ValueError: The sheet has no answers of this run.
    """
    rows = (row for _, row in sheet_rows(path))
    query_ids = frozenset(
        row["query_id"] for row in rows if RUN not in row or unescaped(row[RUN]) == run
    )
    if not query_ids:
        raise ValueError(f"{path} has no answers of {run}, expected at least one")
    return query_ids


def unescaped(cell: str) -> str:
    """Return a run's name without the mark that makes a spreadsheet treat it as text."""
    return cell.removeprefix("'")


def taxonomy(style: str) -> Mapping[str, str]:
    """Return the kinds of errors: the list for chats if `style` is "chat", else for statements."""
    return CHAT if style == "chat" else STATEMENTS


def answered_wrongly(run: Run) -> list[Record]:
    """Return the records that the judge or, if there is none, the first score considers wrong."""
    scores = {query: scored.value(run.main_score) for query, scored in run.scores.items()}
    known = {query: score for query, score in scores.items() if score is not None}
    return [record for record in run.records if known.get(record.query_id, RIGHT) < RIGHT]


def write_error_sheet(path: Path, records: Sequence[Record], refusal_gold: RefusalGold) -> None:
    """Write a CSV sheet of answers with an empty column `label`.

    Raises:
        FileExistsError: The file exists, and may contain labels.
    """
    write_lines(path, ERROR_COLUMNS, (_error_line(record, refusal_gold) for record in records))


def read_error_labels(
    path: Path, records: Sequence[Record], allowed: Collection[str]
) -> dict[str, str]:
    """Return the labelled kinds of errors by query id; lines without a label are left out.

    Raises:
        ValueError: There are no labels, or a label is not allowed or not for an answer of this run.
    """
    labels: dict[str, str] = {}
    for place, query, label in read_lines(path, records):
        if label not in allowed:
            raise ValueError(
                f"{place}: the label of {query} is {label!r}, expected {', '.join(allowed)}"
            )
        labels[query] = label
    if not labels:
        raise ValueError(
            f"{path} has no labels; write {' or '.join(allowed)} into the column label"
        )
    return labels


def shares_by_kind(
    labels: Mapping[str, str], allowed: Mapping[str, str], claims: Claims
) -> tuple[ErrorShare, ...]:
    """Return the share of every kind of error, with the paper's share.

    Args:
        labels: The labels of a person, by query id.
        allowed: The kinds of errors, each with the id of the paper's claim.
        claims: The numbers in the paper's prose.
    """
    counts = Counter(labels.values())
    return tuple(
        ErrorShare(label, share(counts[label], len(labels)), _of_paper(claims, claim))
        for label, claim in allowed.items()
    )


def show_shares(shares: Sequence[ErrorShare]) -> RichTable:
    """Return a table of the counts, our shares and the paper's shares, with intervals."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("kind of error", "n", "share", "paper"):
        table.add_column(heading, justify="left" if heading == "kind of error" else "right")
    for error_share in shares:
        paper = "-" if error_share.paper is None else _percent(error_share.paper)
        table.add_row(
            error_share.label,
            f"{error_share.share.count}/{error_share.share.n}",
            _percent(error_share.share),
            paper,
        )
    return table


def _percent(share: Share) -> str:
    return f"{100 * share.mean:.1f}% [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _of_paper(claims: Claims, claim: str) -> Share | None:
    return share(int(claims.by_id(claim).number().value), LOOKED_AT) if claim else None


def _answer_cells(record: Record, refusal_gold: RefusalGold) -> tuple[str, ...]:
    golds = " / ".join(gold_answers(record.gold, refusal_gold))
    return record.query_id, record.gold.category, record.question, golds, record.answer


def _error_line(record: Record, refusal_gold: RefusalGold) -> tuple[str, ...]:
    found_evidence, gold_evidence = evidence_found(record), record.gold.evidence
    return (
        *_answer_cells(record, refusal_gold),
        " ".join(message for message in gold_evidence if message in found_evidence),
        " ".join(message for message in gold_evidence if message not in found_evidence),
        "\n".join(map(_describe_step, record.steps)),
        "",
    )


def _describe_step(step: StepRecord) -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in step.arguments.items())
    return f"{step.tool}({arguments}): {cut(step.message)}"
