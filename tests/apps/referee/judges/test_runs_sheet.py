"""A sheet of labels of answers from several runs."""

import csv
from pathlib import Path

import numpy as np
import pytest

from remem.apps.referee.judges.judged_answers import JudgedAnswer
from remem.apps.referee.judges.runs_sheet import read_runs_sheet, write_runs_sheet
from remem.errors import UsageError

ANSWERS = [
    JudgedAnswer(run, run, query, "1", (f"What {query}?", "a boat", "a raft", f"{run} {query}"))
    for run in ("=A", "B")
    for query in ("q0", "q1")
]


def labelled(path: Path, **labels: str) -> Path:
    """Write the given labels, by run and question, into a sheet of all answers."""
    write_runs_sheet(path, ANSWERS, 4, 0)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        name = row["run"].lstrip("'=")
        row["label"] = labels.get(f"{name}_{row['query_id']}", "")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_drawn_sheet_can_be_labelled_and_read(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", A_q0="1", A_q1="0", B_q1="0.5")
    found = read_runs_sheet(sheet, ANSWERS)
    assert found == {("=A", "q0"): True, ("=A", "q1"): False, ("B", "q1"): True}


def test_a_sheet_shows_golds_and_answers_but_no_verdict(tmp_path: Path) -> None:
    write_runs_sheet(tmp_path / "sheet.csv", ANSWERS, 1, 3)
    header, line = (tmp_path / "sheet.csv").read_text().splitlines()
    assert header == "run,query_id,category,question,gold,answer,label"
    assert "a boat / a raft" in line


def test_more_answers_than_there_are_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--size 4 takes all of them"):
        write_runs_sheet(tmp_path / "sheet.csv", ANSWERS, 5, 0)


def test_without_a_column_run_the_labels_are_of_the_only_run(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("query_id,label\nq0,1\n")
    assert read_runs_sheet(sheet, ANSWERS[2:]) == {("B", "q0"): True}
    with pytest.raises(UsageError, match="which of the 2 runs"):
        read_runs_sheet(sheet, ANSWERS)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("C,q0,,1", r"sheet.csv:2: the given runs have no answer of 'C' to q0"),
        ("B,q7,,1", "no answer of .* to q7"),
        (
            "B,q0,another answer,1",
            "the labelled answer to q0 is not the answer of B",
        ),
        ("B,q0,B q0,yes", "the label of q0 is 'yes', expected a number from 0 to 1"),
        ("B,q0,B q0,1\nB,q0,B q0,0", "sheet.csv:3: q0 of B has two labels"),
        ("B,q0,B q0,", "has no labels"),
    ],
)
def test_a_wrong_label_names_its_line(tmp_path: Path, line: str, complaint: str) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"run,query_id,answer,label\n{line}\n")
    with pytest.raises(ValueError, match=complaint):
        read_runs_sheet(sheet, ANSWERS)


@pytest.mark.parametrize("name", ["locomo.csv", "locomo_strict.csv"])
def test_the_labelled_answers_to_locomo_are_the_draw_that_the_page_states(name: str) -> None:
    sheet = Path(__file__).parents[4] / "docs" / "apps" / "referee" / "judge_labels" / name
    with sheet.open(newline="") as file:
        labelled = {row["query_id"] for row in csv.DictReader(file)}
    ids = sorted(f"conv-26/q{number}" for number in range(152))  # as text: q10 before q2
    chosen = np.random.default_rng(0).choice(len(ids), size=40, replace=False)
    assert labelled == {ids[place] for place in chosen}
