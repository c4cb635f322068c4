"""The sheet of wrong answers: what stands on it, which labels it takes, and their shares."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from remem.evaluation.error_sheet import (
    CHAT,
    COLUMNS,
    STATEMENTS,
    read_error_labels,
    shares_by_kind,
    taxonomy,
    write_error_sheet,
)
from remem.metrics.proportion import share
from remem.paper.claims import read_claims
from remem.paper.tables import paper_folder
from remem.types import Gold, Record, Retrieved, StepRecord

RECORD = Record(
    *("q0", "h", 0, "When?", Gold(("May", "spring"), "2", evidence=("D1:1", "D2:4")), "ok"),
    answer="=June",
    retrieved=(Retrieved("g7", ("D2:3", "D2:4")),),
    steps=(StepRecord("semantic_retrieve", {"query": "boat"}, "", "1 gist", ("g7",), None, False),),
)
RECORDS = tuple(replace(RECORD, query_id=f"q{at}", answer="June") for at in range(5))


def labelled(path: Path, *labels: str) -> Path:
    lines = [f"q{at},June,{label}" for at, label in enumerate(labels)]
    path.write_text("\n".join(("query_id,answer,label", *lines)) + "\n", encoding="utf-8")
    return path


def test_a_line_has_evidence_found_and_missed_the_steps_and_an_empty_label(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    write_error_sheet(sheet, [RECORD], "by_category")
    with sheet.open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert tuple(line) == COLUMNS
    assert (line["gold"], line["answer"]) == ("May / spring", "'=June")
    assert (line["evidence_found"], line["evidence_missed"]) == ("D2:4", "D1:1")
    assert line["steps"] == "semantic_retrieve(query=boat): 1 gist"
    assert line["label"] == ""
    with pytest.raises(FileExistsError, match="may contain labels"):
        write_error_sheet(sheet, [RECORD], "by_category")


def test_an_unknown_label_is_refused_with_its_line_and_the_allowed_ones(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", "direction", "", "grounding")
    with pytest.raises(ValueError, match=r"csv:4: the label of q2 is 'grounding'") as refused:
        read_error_labels(sheet, RECORDS, STATEMENTS)
    for label in STATEMENTS:
        assert label in str(refused.value)
    labelled(sheet, "", "")
    with pytest.raises(ValueError, match="has no labels: fill its column label with selection_or_"):
        read_error_labels(sheet, RECORDS, CHAT)


def test_the_shares_of_the_labels_stand_beside_the_papers(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", "time_or_number", "other", "", "time_or_number")
    labels = read_error_labels(sheet, RECORDS, CHAT)
    found = {item.label: item for item in shares_by_kind(labels, CHAT, read_claims(paper_folder()))}
    assert list(found) == list(CHAT)
    assert found["time_or_number"].share == share(2, 3)
    assert found["selection_or_grounding"].share == share(0, 3)
    assert found["time_or_number"].paper == share(19, 100)  # section 6.4
    assert found["other"].paper is None


def test_the_papers_shares_of_complex_tr_are_those_of_its_text() -> None:
    labels = dict.fromkeys(("q0", "q1"), "direction")
    found = shares_by_kind(labels, STATEMENTS, read_claims(paper_folder()))
    assert [item.paper.count for item in found if item.paper] == [42, 21, 18, 5]
    assert (taxonomy("chat"), taxonomy("text"), taxonomy("temporal")) == (
        CHAT,
        STATEMENTS,
        STATEMENTS,
    )
