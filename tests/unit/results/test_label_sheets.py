"""Sheets of answers: their contents, the labels they accept, and the error rates."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from remem.metrics.intervals import share
from remem.paper.claims import read_claims
from remem.paper.layout import paper_folder
from remem.results.label_sheets import (
    CHAT,
    ERROR_COLUMNS,
    STATEMENTS,
    draw_sample,
    read_error_labels,
    read_labels,
    shares_by_kind,
    taxonomy,
    write_error_sheet,
    write_sheet,
)
from remem.types import Gold, Record, Retrieved, StepRecord

RECORDS = [
    Record(f"q{at}", "h", at, f"What {at}?", Gold((f"gold {at}",), "1"), "ok", answer=f"said {at}")
    for at in range(30)
]
FAILED = replace(RECORDS[0], query_id="q99", index=99, status="error", answer="")


def labelled(path: Path, *lines: str, header: str = "query_id,label") -> Path:
    path.write_text("\n".join((header, *lines)) + "\n", encoding="utf-8")
    return path


def test_the_seed_decides_the_sample_and_errors_are_no_part_of_it() -> None:
    first = draw_sample([*RECORDS, FAILED], 10, seed=1)
    assert first == draw_sample([*RECORDS, FAILED], 10, seed=1)
    assert first != draw_sample([*RECORDS, FAILED], 10, seed=2)
    assert len({record.query_id for record in first}) == 10
    assert draw_sample([*RECORDS, FAILED], 30, seed=0) == RECORDS
    with pytest.raises(
        ValueError, match="31 answers are requested, but the number of answers in the run is 30"
    ):
        draw_sample([*RECORDS, FAILED], 31, seed=0)


def test_labels_written_onto_the_sheet_are_read_back(tmp_path: Path) -> None:
    odd = replace(RECORDS[1], answer='=cmd|"x",\nsecond line')
    trap = replace(RECORDS[2], gold=Gold(("No",), "5", answerable=False))
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, [RECORDS[0], odd, trap], "by_category")
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == ["", "", ""]
    assert rows[1]["answer"].startswith("'=")  # no formula
    assert rows[2]["gold"] == "no information available"
    rows[0]["label"], rows[1]["label"] = " 1 ", "0"
    with sheet.open("w", newline="", encoding="utf-8-sig") as file:  # as a spreadsheet saves it
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert read_labels(sheet, [RECORDS[0], odd, trap]) == {"q0": 1.0, "q1": 0.0}


def test_no_cell_begins_as_a_formula_does(tmp_path: Path) -> None:
    odd = replace(RECORDS[0], answer="\r\n=1+1", question="a\r\n=2")
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, [odd], "by_category")
    with sheet.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["answer"], row["question"]) == ("'\n=1+1", "a\n=2")
    sheet.write_bytes(sheet.read_bytes().removesuffix(b"\n") + b"1\n")
    assert read_labels(sheet, [odd]) == {"q0": 1.0}


def test_a_sheet_that_is_there_is_kept(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", "q0,1", "q1")  # a short line has no label
    with pytest.raises(FileExistsError, match="may contain labels"):
        write_sheet(sheet, RECORDS, "by_category")
    assert read_labels(sheet, RECORDS) == {"q0": 1.0}


@pytest.mark.parametrize(
    ("lines", "header", "message"),
    [
        (
            ("q0,yes",),
            "query_id,label",
            "sheet.csv:2: the label of q0 is 'yes', expected a number from 0 to 1",
        ),
        (("q0,1", "q0,0"), "query_id,label", "sheet.csv:3: q0 has two labels"),
        (("q77,1",), "query_id,label", "the run has no answer to q77"),
        (("q0,1,said 1",), "query_id,label,answer", "is not the answer of the run"),
        (("q0,",), "query_id,label", "has no labels"),
        (("q0,1",), "id,label", r"has the columns .*expected query_id and label"),
    ],
)
def test_labels_that_are_none_are_refused(
    tmp_path: Path, lines: tuple[str, ...], header: str, message: str
) -> None:
    sheet = labelled(tmp_path / "sheet.csv", *lines, header=header)
    with pytest.raises(ValueError, match=message):
        read_labels(sheet, RECORDS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"query_id,label\nq0,\xff\n", ":2 is not UTF-8 text"),
        (b"x" * 200_000 + b",label\n1,2", " is not a CSV file"),
        (b"", " is empty; expected the columns query_id and label"),
    ],
)
def test_a_sheet_that_is_no_csv_file_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "sheet.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"sheet\.csv{told}"):
        read_labels(tmp_path / "sheet.csv", RECORDS)


WRONG = Record(
    *("q0", "h", 0, "When?", Gold(("May", "spring"), "2", evidence=("D1:1", "D2:4")), "ok"),
    answer="=June",
    retrieved=(Retrieved("g7", ("D2:3", "D2:4")),),
    steps=(StepRecord("semantic_retrieve", {"query": "boat"}, "", "1 gist", ("g7",), None, False),),
)
WRONGS = tuple(replace(WRONG, query_id=f"q{at}", answer="June") for at in range(5))


def labelled_errors(path: Path, *labels: str) -> Path:
    lines = [f"q{at},June,{label}" for at, label in enumerate(labels)]
    path.write_text("\n".join(("query_id,answer,label", *lines)) + "\n", encoding="utf-8")
    return path


def test_a_line_has_evidence_found_and_missed_the_steps_and_an_empty_label(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    write_error_sheet(sheet, [WRONG], "by_category")
    with sheet.open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert tuple(line) == ERROR_COLUMNS
    assert (line["gold"], line["answer"]) == ("May / spring", "'=June")
    assert (line["evidence_found"], line["evidence_missed"]) == ("D2:4", "D1:1")
    assert line["steps"] == "semantic_retrieve(query=boat): 1 gist"
    assert line["label"] == ""


def test_an_unknown_label_is_refused_with_its_line_and_the_allowed_ones(tmp_path: Path) -> None:
    sheet = labelled_errors(tmp_path / "sheet.csv", "direction", "", "grounding")
    with pytest.raises(ValueError, match=r"csv:4: the label of q2 is 'grounding'") as refused:
        read_error_labels(sheet, WRONGS, STATEMENTS)
    for label in STATEMENTS:
        assert label in str(refused.value)
    labelled_errors(sheet, "", "")
    with pytest.raises(ValueError, match="has no labels; write selection_or_"):
        read_error_labels(sheet, WRONGS, CHAT)


def test_the_shares_of_the_labels_stand_beside_the_papers(tmp_path: Path) -> None:
    sheet = labelled_errors(tmp_path / "sheet.csv", "time_or_number", "other", "", "time_or_number")
    labels = read_error_labels(sheet, WRONGS, CHAT)
    found = {item.label: item for item in shares_by_kind(labels, CHAT, read_claims(paper_folder()))}
    assert list(found) == list(CHAT)
    assert found["time_or_number"].share == share(2, 3)
    assert found["selection_or_grounding"].share == share(0, 3)
    assert found["time_or_number"].paper == share(19, 100)  # section 6.4
    assert found["other"].paper is None


def test_the_papers_shares_of_complex_tr_are_those_of_its_text() -> None:
    found = shares_by_kind({"q0": "direction"}, STATEMENTS, read_claims(paper_folder()))
    assert [item.paper.count for item in found if item.paper] == [42, 21, 18, 5]
    assert list(map(taxonomy, ("chat", "text", "temporal"))) == [CHAT, STATEMENTS, STATEMENTS]
