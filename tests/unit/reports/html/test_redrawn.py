"""A results page is drawn again from its data, and nothing else of the old page is kept."""

import os
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from remem.errors import UsageError
from remem.files.adapters import adapter
from remem.metrics.columns import ScoreColumn
from remem.metrics.intervals import Percentiles
from remem.reports.html import page as page_module
from remem.reports.html.page import DATA
from remem.reports.html.site import redrawn
from remem.reports.html.sweep_page import write_sweep_page
from remem.reports.html.table_files import TablePage, write_table_page
from remem.results.costs import Cost, RunCosts
from remem.run.sweep_jobs import Job
from remem.tables.notes import BlockCosts, RowCosts
from remem.tables.sweep_table import SweepBlock, SweepCell, SweepRow, SweepTable
from remem.tables.table import Block, Cell, Row, Table, Value

MEAN = Value(31.7, 30.0, 33.0, 40, 10, percent=True)
GAP = replace(MEAN, mean=-2.5, low=-4.0, high=-1.0, p_value=0.01)
COSTS = RunCosts((Cost("recall", "ms", "question", Percentiles(1.0, 2.0, 3.5, 4, 7.0)),))
TABLE = Table(
    "mine",
    "Mine </script><b>",
    (
        Block(
            "", (ScoreColumn("F1", "f1"),), (Row("<i>", (Cell(ours=MEAN, decimals=2),), run="r"),)
        ),
    ),
)


def table_page(results: Path, table: Table = TABLE) -> Path:
    costs = [BlockCosts("", (RowCosts("a", COSTS),))]
    return write_table_page(table, ["remem table '<mine>'"], results / "tables" / "x", costs)


def sweep_page(results: Path) -> Path:
    """Write the page of a sweep with a chart, a remark, a job without a run, and costs."""
    run = results / "runs" / "a b"
    rows = (
        SweepRow(Job(0, ("top_k=1",), "done"), "one", "", "40", (SweepCell(MEAN),), run, COSTS),
        SweepRow(Job(1, ("top_k=2",), "done"), "two", "<said>", "40", (SweepCell(MEAN, GAP),), run),
    )
    table = SweepTable("Sweep <b>", (SweepBlock("", ("F1",), rows, ("a note",), "one wins"),))
    jobs = [*(row.job for row in rows), Job(2, ("top_k=3",), "failed", error="no <disk>")]
    return write_sweep_page(results / "sweeps" / "x", table, jobs)


@pytest.mark.parametrize("write", [table_page, sweep_page])
def test_a_page_of_ours_is_drawn_again_to_the_byte(tmp_path: Path, write: object) -> None:
    path = write(tmp_path)  # type: ignore[operator]
    assert redrawn(path, tmp_path) == path.read_bytes()


def test_nothing_of_a_strangers_page_but_its_data_is_shown(tmp_path: Path) -> None:
    path = table_page(tmp_path)
    ours = path.read_bytes()
    path.write_bytes(b"<script>steal()</script>" + ours + b"<img src=x onerror=steal()>")
    assert redrawn(path, tmp_path) == ours


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'id="data"', b'id="other"'),
        (b'"decimals":2', b'"decimals":2000000000'),  # digits without end
        (b'"cells":[{', b'"cells":[null,{'),  # more cells than columns
        (b'"p50":1.0', b'"p50":"x"'),
    ],
)
def test_data_that_cannot_be_drawn_are_refused_with_what_to_do(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    path = table_page(tmp_path)
    assert before in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(before, after))
    with pytest.raises(UsageError, match=r"^it.*; repeat the command that wro"):
        redrawn(path, tmp_path)


def test_a_job_leads_to_no_other_site(tmp_path: Path) -> None:
    path = sweep_page(tmp_path)
    address = b'"../../runs/a%20b/report.html"'
    assert address in path.read_bytes()
    for elsewhere in (b'"javascript:steal()"', b'"https://elsewhere.example"', b'"//elsewhere"'):
        path.write_bytes(sweep_page(tmp_path).read_bytes().replace(address, elsewhere))
        with pytest.raises(UsageError, match="it has no data"):
            redrawn(path, tmp_path)


def test_no_page_takes_long_to_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell, column = Cell(ours=GAP), ScoreColumn("F1", "f1")
    rows = [Row(f"{at}", (cell if at > 3_000 else None,), prompts=f"{at}") for at in range(5_000)]
    many = Table("m", "M", (Block("", (column,), tuple(rows)), *[Block("", (), ())] * 5_000))
    costs = [BlockCosts("", tuple(RowCosts(row.label, COSTS) for row in rows))]
    begun = process_time()
    path = write_table_page(many, [], tmp_path / "tables" / "x", costs)
    assert process_time() - begun < 8  # quadratic steps took 10 s
    monkeypatch.setattr(page_module, "MOST_DATA_VALUES", 30_000)
    with pytest.raises(UsageError, match=r"\(the text has more than 30,000 JSON values"):
        redrawn(path, tmp_path)


def test_a_label_that_each_of_many_cells_repeats_is_not_drawn(tmp_path: Path) -> None:
    row = Row("x" * 1_000_000, (Cell(ours=MEAN),) * 100)
    path = tmp_path / "tables" / "x" / "report.html"
    path.parent.mkdir(parents=True)
    block = Block("", (ScoreColumn("F1", "f1"),) * 100, (row,))
    path.write_bytes(DATA + adapter(TablePage).dump_json(TablePage(Table("m", "M", (block,)), ())))
    with pytest.raises(UsageError, match="would have more than 67,108,864 characters"):
        redrawn(path, tmp_path)


def test_a_page_that_is_too_large_or_no_file_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table_page(tmp_path)
    monkeypatch.setattr(page_module, "MOST_BYTES", path.stat().st_size - 1)
    with pytest.raises(UsageError, match="has more than"):
        redrawn(path, tmp_path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UsageError, match="it is not a file"):
        redrawn(path, tmp_path)
