"""A table in W&B has the same rows, columns and numbers as the displayed table."""

import json
from pathlib import Path

import pytest

from remem.errors import UsageError
from remem.metrics.columns import ScoreColumn
from remem.reports.wandb.payload import FlatTable
from remem.reports.wandb.tables import read_sweep, table_payload
from remem.tables.table import Block, Cell, Row, Table, Value

F1 = ScoreColumn("F1", "f1")


def cell(mean: float, p_value: float | None = None, paper: str = "") -> Cell:
    ours = Value(mean, mean - 1, mean + 1, 9, 9, percent=True, p_value=p_value)
    return Cell(column="f1", ours=ours, paper=paper)


def test_each_block_is_a_table_of_its_own() -> None:
    columns = (F1, ScoreColumn("when", "f1", "2"))
    rows = (
        Row("BM25", (cell(50.0), None), answered=9, total=10),
        Row("No memory", (cell(20.0, p_value=0.01), None), answered=10, total=10),
    )
    blocks = (
        Block("Chats", columns, rows),
        Block("Facts", (F1,), (Row("BM25", (Cell(ours=None),)),)),
    )
    payload = table_payload(Table("offline", "The offline table", blocks))
    heads = ("F1", "F1 low", "F1 high", "F1 star", "when", "when low", "when high", "when star")
    none = (None, None, None, None)
    assert payload.tables == {
        "table": FlatTable(
            ("block", "method", "n", *heads),
            (
                ("Chats", "BM25", "9/10", 50.0, 49.0, 51.0, "", *none),
                ("Chats", "No memory", "10", 20.0, 19.0, 21.0, "*", *none),
            ),
        ),
        "table 2": FlatTable(
            ("block", "method", "n", "F1", "F1 low", "F1 high", "F1 star"),
            (("Facts", "BM25", "0", *none),),
        ),
    }
    assert (payload.name, payload.config) == ("The offline table", {"remem": {"table": "offline"}})


def test_a_table_of_the_paper_has_its_numbers_too() -> None:
    block = Block("", (F1,), (Row("BM25", (cell(50.0, paper="48.1"),)),))
    table = Table("table3", "Table 3", (block,), number=3)
    (flat,) = table_payload(table).tables.values()
    assert flat.columns == ("block", "method", "F1", "F1 low", "F1 high", "F1 star", "F1 paper")
    assert flat.rows == (("", "BM25", 50.0, 49.0, 51.0, "", "48.1"),)


def write_job(sweep: Path, number: int, folder: Path, *overrides: str) -> None:
    sweep.mkdir(exist_ok=True)
    job = {"number": number, "overrides": overrides, "state": "done", "folder": str(folder)}
    (sweep / f"{number}.job.json").write_text(json.dumps({**job, "method": "REMem-I"}))


def test_a_sweep_is_read_from_the_folders_of_its_runs(written, tmp_path: Path) -> None:
    sweep = tmp_path / "top-k_chats"
    for number, top_k in enumerate(("5", "20")):
        override = f"method.build.top_k={top_k}"
        write_job(sweep, number, written(override), "method=remem_i", override)
    read = read_sweep(sweep, ())
    assert [run.config.resolved["method"]["build"]["top_k"] for run in read.runs] == [5, 20]
    (swept,) = read.tables
    assert (swept.name, swept.across, swept.scores[2]) == ("top-k_chats", "top_k", "EM")
    assert swept.flat.columns[:5] == ("block", "method", "top_k", "n", "F1")
    assert [row[1:4] for row in swept.flat.rows] == [
        ("REMem-I", 5.0, "2/3"),
        ("REMem-I", 20.0, "2/3"),
    ]
    em = swept.flat.columns.index("EM")
    assert [row[em] for row in swept.flat.rows] == [50.0, 50.0]
    assert read.payload.tables == {"top-k_chats": swept.flat}


def test_a_sweep_without_a_number_has_no_line(written, tmp_path: Path) -> None:
    sweep = tmp_path / "method_chats"
    write_job(sweep, 0, written(), "method=remem_i")
    write_job(sweep, 1, written("method=remem_s"), "method=remem_s")
    (swept,) = read_sweep(sweep, ()).tables
    assert swept.across == ""
    assert swept.flat.columns[:3] == ("block", "method", "n")


def test_a_sweep_of_which_nothing_has_finished_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no job of the sweep"):
        read_sweep(tmp_path, ())
