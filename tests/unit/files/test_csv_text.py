"""In CSV files, no text of data or models is read as a spreadsheet formula."""

import csv
from io import StringIO

import pytest

from remem.files.plain_text import csv_text
from remem.metrics.columns import ScoreColumn
from remem.tables.file_formats import as_csv
from remem.tables.table import Block, Cell, Row, Table, Value


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\t=", "\r\n="])
def test_no_cell_of_a_table_begins_as_a_formula_does(begin: str) -> None:
    said = f"{begin}HYPERLINK(1)"
    row = Row(said, (Cell(ours=Value(1.0, None, None, 1, None, percent=False)),), note=said)
    block = Block(said, (ScoreColumn("F1", "f1"),), (row,))
    [line] = csv.DictReader(StringIO(as_csv(Table("t", "T", (block,)))))
    shown = said.replace("\r\n", "\n").replace("\r", "\n")
    assert {line["block"], line["method"], line["note"]} == {f"'{shown}"}


def test_numbers_stay_numbers() -> None:
    assert csv_text([{"a": -1, "b": "-0.5", "c": "-x", "d": ""}]) == "a,b,c,d\n-1,-0.5,'-x,\n"
