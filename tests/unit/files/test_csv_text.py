"""CSV files with texts of data and models: none of them is a formula of a spreadsheet."""

import csv
from io import StringIO

import pytest

from remem.files.csv_text import csv_text
from remem.tables.paper.cases_render import CaseAnswer, CaseTable, ShownCase, as_csv


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\t=", "\r\n="])
def test_no_cell_of_the_cases_begins_as_a_formula_does(begin: str) -> None:
    said = f"{begin}HYPERLINK(1)"
    case = ShownCase(
        **dict.fromkeys(("key", "place", "about", "dataset", "id"), "a"),
        question=said,
        gold=said,
        notes=(),
        answers=(CaseAnswer(system="A", llm="none", ours=said, f1=0.5),),
    )
    [line] = csv.DictReader(StringIO(as_csv(CaseTable("t", "T", (case,), ()))))
    shown = said.replace("\r\n", "\n").replace("\r", "\n")
    assert {line["question"], line["gold"], line["ours"]} == {f"'{shown}"}
    assert float(line["f1"]) == 0.5


def test_numbers_stay_numbers() -> None:
    assert csv_text([{"a": -1, "b": "-0.5", "c": "-x", "d": ""}]) == "a,b,c,d\n-1,-0.5,'-x,\n"
