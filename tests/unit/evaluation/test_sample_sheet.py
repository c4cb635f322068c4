"""The sheet for people: a seeded sample, no verdicts on it, and labels of the answers alone."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from remem.evaluation.sample_sheet import draw_sample, read_labels, write_sheet
from remem.types import Gold, Record

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
        ValueError, match="the run has 30 answered questions, fewer than the requested 31"
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


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\t=", "\r\n="])
def test_no_cell_begins_as_a_formula_does(tmp_path: Path, begin: str) -> None:
    odd = replace(RECORDS[0], answer=f"{begin}1+1", question=f"a{begin}2")
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, [odd], "by_category")
    with sheet.open(newline="") as file:
        (row,) = csv.DictReader(file)
    shown = begin.replace("\r\n", "\n").replace("\r", "\n")
    assert (row["answer"], row["question"]) == (f"'{shown}1+1", f"a{shown}2")
    sheet.write_bytes(sheet.read_bytes().removesuffix(b"\n") + b"1\n")
    assert read_labels(sheet, [odd]) == {"q0": 1.0}


def test_a_sheet_that_is_there_is_kept(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", "q0,1")
    with pytest.raises(FileExistsError, match="may contain labels"):
        write_sheet(sheet, RECORDS, "by_category")
    assert read_labels(sheet, RECORDS) == {"q0": 1.0}


@pytest.mark.parametrize(
    ("lines", "header", "message"),
    [
        (("q0,yes",), "query_id,label", "sheet.csv:2: the label of q0 is 'yes', expected 0 to 1"),
        (("q0,2",), "query_id,label", "expected 0 to 1"),
        (("q0,nan",), "query_id,label", "expected 0 to 1"),
        (("q0,1", "q0,0"), "query_id,label", "sheet.csv:3: q0 has two labels"),
        (("q77,1",), "query_id,label", "the run has no answer to q77"),
        (("q0,1,said 1",), "query_id,label,answer", "belongs to another answer than the run's"),
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


def test_an_empty_sheet_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").touch()
    expected = r"sheet\.csv is empty; expected the columns query_id and label"
    with pytest.raises(ValueError, match=expected):
        read_labels(tmp_path / "sheet.csv", RECORDS)


def test_a_short_line_has_no_label(tmp_path: Path) -> None:
    sheet = labelled(tmp_path / "sheet.csv", "q0,1", "q1")
    assert read_labels(sheet, RECORDS) == {"q0": 1.0}


@pytest.mark.parametrize("content", [b"query_id,label\nq0,\xff\n", b"x" * 200_000 + b",label\n1,2"])
def test_a_sheet_that_is_no_csv_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sheet.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"sheet\.csv is not a CSV file in UTF-8"):
        read_labels(tmp_path / "sheet.csv", RECORDS)
