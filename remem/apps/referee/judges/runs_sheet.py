"""Write and read sheets of answers from several runs for people to label, with a column `run`.

The sheets do not show the verdicts of judges, so that these do not influence the labels.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from remem.apps.referee.judges.judged_answers import RIGHT, JudgedAnswer
from remem.errors import UsageError
from remem.results.label_sheets import (
    COLUMNS,
    RUN,
    label_of,
    sheet_rows,
    spaced,
    unescaped,
    write_lines,
)


def write_runs_sheet(path: Path, answers: Sequence[JudgedAnswer], size: int, seed: int) -> None:
    """Write a CSV sheet of answers drawn at random from all runs, with an empty column `label`.

    Raises:
        UsageError: There are fewer answers than `size`.
        FileExistsError: The file exists, and may contain labels.
    """
    if size > len(answers):
        raise UsageError(
            f"the runs have too few answers for --size {size}; --size {len(answers)} takes all of "
            f"them"
        )
    chosen = np.random.default_rng(seed).choice(len(answers), size=size, replace=False)
    drawn = [answers[place] for place in sorted(chosen.tolist())]
    write_lines(path, (RUN, *COLUMNS), (_line(answer) for answer in drawn))


def read_runs_sheet(path: Path, answers: Sequence[JudgedAnswer]) -> dict[tuple[str, str], bool]:
    """Return the labels of a sheet, by run and question; empty labels are left out.

    Args:
        path: A CSV file with the columns `query_id` and `label`, and `run` if there are several
            runs. If it has a column `answer`, the answers must be those of the runs.
        answers: The answers of the runs.

    Raises:
        UsageError: There are several runs, and the sheet has no column `run`.
        ValueError: There are no labels, or a label is not a number from 0 to 1, is for an answer
            that the runs do not have, or is given twice.
    """
    answers_by_key = {answer.key: answer for answer in answers}
    runs = sorted({answer.run for answer in answers})
    labels: dict[tuple[str, str], bool] = {}
    for number, row in sheet_rows(path):
        if not row["label"].strip():
            continue
        where, query = f"{path}:{number}", row["query_id"]
        run = unescaped(row[RUN]) if RUN in row else _only(runs, path)
        if (run, query) not in answers_by_key:
            raise ValueError(f"{where}: the given runs have no answer of {run!r} to {query}")
        if (run, query) in labels:
            raise ValueError(f"{where}: {query} of {run} has two labels, expected one")
        verdict = answers_by_key[run, query].content[-1]
        if spaced(row.get("answer", verdict)) != spaced(verdict):
            raise ValueError(f"{where}: the labelled answer to {query} is not the answer of {run}")
        labels[run, query] = label_of(row["label"].strip(), query, where) >= RIGHT
    if not labels:
        raise ValueError(
            f"{path} has no labels: write 1 (right) or 0 (wrong) into the column 'label'"
        )
    return labels


def _line(answer: JudgedAnswer) -> Sequence[str]:
    question, *golds, reply = answer.content
    shown = (answer.query_id, answer.category, question, " / ".join(golds), reply, "")
    return (answer.run, *shown)


def _only(runs: Sequence[str], path: Path) -> str:
    if len(runs) > 1:
        raise UsageError(
            f"{path} needs a column 'run' that says which of the {len(runs)} runs each label is "
            f"for; remem referee calibrate --draw writes such a sheet"
        )
    return runs[0]
