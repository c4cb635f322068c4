"""The corrected p of two runs is found in the tables written next to them."""

from pathlib import Path

import pytest

from remem.evaluation.table_tests import TableTest, table_tests
from remem.metrics.columns import Column
from remem.tables.render import write_files
from remem.tables.table import Block, Cell, Row, Table, Value

COLUMNS = (Column("F1", "f1"), Column("F1 of 2", "f1", "2"), Column("EM", "em"))


def cell(p_value: float | None) -> Cell:
    return Cell(ours=Value(50.0, 40.0, 60.0, 60, 20, percent=True, p_value=p_value))


def row(name: str, *p_values: float | None) -> Row:
    return Row(name, tuple(map(cell, p_values)), answered=60, total=60, run=f"runs/d/{name}/m")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = (
        row("a", None, None, None),
        row("b", 0.01, 0.02, 0.03),
        row("c", 0.04, 0.05, 0.06),
    )
    blocks = (Block("One", COLUMNS, rows, ()), Block("Two", COLUMNS, rows[::-1][:1], ()))
    write_files(Table("mine", "T", blocks), tmp_path / "tables/mine")
    (tmp_path / "tables/of_the_paper").mkdir()
    (tmp_path / "tables/of_the_paper/x.csv").write_text("table,block,row\nx,paper,A\n")
    return tmp_path


def found(results: Path, first: str, second: str, category: str | None = None) -> list[TableTest]:
    folders = (results / f"runs/d/{name}/m" for name in (first, second))
    return list(table_tests(*folders, score="f1", category=category))


def test_a_pair_with_the_first_row_has_its_p_and_the_size_of_its_family(results: Path) -> None:
    assert found(results, "a", "b") == [TableTest("mine", "One", 4, 0.01)]
    assert found(results, "c", "a") == [TableTest("mine", "One", 4, 0.04)]
    assert found(results, "a", "c", "2") == [TableTest("mine", "One", 4, 0.05)]


def test_a_pair_that_no_table_compares_has_none(results: Path) -> None:
    assert found(results, "b", "c") == []
    assert found(results, "a", "a") == []
    assert found(results, "a", "b", "3") == []
    assert list(table_tests(Path("/"), Path("/x"), score="f1", category=None)) == []
