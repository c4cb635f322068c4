"""`remem table offline` from end to end, over generated data of a small size."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.run.store import RECORDS
from remem.tables import table_plan
from remem.tables.table_plan import TablePlan, read_plan

SMALL = {
    "dataset=generated_dialogues": (
        "dataset.build.conversations=1",
        "dataset.build.sessions=4",
    ),
    "dataset=generated_tot": (
        "dataset.build.graphs_per_cell=1",
        "run.histories=6",
        "run.limit=1",
    ),
}
"""One override cannot shrink both blocks: their datasets have sizes of their own."""


def shrunken(plan: TablePlan) -> TablePlan:
    blocks = (
        replace(block, overrides=(*block.overrides, *SMALL[block.overrides[0]]))
        for block in plan.blocks
    )
    return replace(plan, blocks=tuple(blocks))


@pytest.fixture
def remem_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remem: Callable[..., Any]
) -> Callable[..., tuple[str, str]]:
    """Run the command on the small sizes and return what it prints."""
    monkeypatch.setattr(
        table_plan,
        "read_plan",
        lambda name, *where, **trust: shrunken(read_plan(name, *where, **trust)),
    )
    changes = (f"paths.results={tmp_path}", "convention.score.resamples=99")

    def call(*options: str) -> tuple[str, str]:
        done = remem(tmp_path, "table", "offline", *changes, *options)
        assert done.code == 0, done.err
        return done.out, done.err

    return call


def test_a_table_is_shown_written_and_a_second_time_only_read(
    tmp_path: Path, remem_table: Callable[[], tuple[str, str]]
) -> None:
    plan = read_plan("offline")
    out, err = remem_table()
    labels = ("REMem-I (scripted)", "REMem-I (symbolic)", "REMem-S", "BM25", "Always refuse")
    ceilings = ("Oracle Message (given the evidence)", "Full-Context (ceiling)")
    for shown in (*labels, *ceilings, *(block.title for block in plan.blocks)):
        assert shown in " ".join(out.split())
    assert "more notes: see the page" in out
    assert f"[{plan.row_count}/{plan.row_count}]" in err

    name = "offline+convention.score.resamples=99"  # never takes the place of the plain table
    files = [tmp_path / "tables" / name / f"{name}.{suffix}" for suffix in ("md", "tex", "csv")]
    assert [path.name for path in (tmp_path / "tables").iterdir()] == [name]
    written = [path.read_bytes() for path in files]
    rows = list(csv.DictReader(files[2].open()))
    assert {row["block"] for row in rows} == {block.title for block in plan.blocks}
    assert {row["llm"] for row in rows} == {"none"}
    assert all(row["answered"] == row["total"] for row in rows)

    logs = sorted((tmp_path / "runs").rglob(RECORDS))
    answered = [path.read_bytes() for path in logs]
    assert len(logs) == plan.row_count
    out_again, _ = remem_table()
    assert out_again == out
    assert [path.read_bytes() for path in logs] == answered
    assert [path.read_bytes() for path in files] == written


def test_the_memory_of_the_example_gets_a_row_and_is_compared_with_the_others(
    tmp_path: Path, remem_table: Callable[..., tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    example = Path(__file__).parents[2] / "examples" / "own_memory"
    monkeypatch.syspath_prepend(example)
    options = ("--config-dir", str(example / "conf"), "run.packages=[my_memory]")
    out, _ = remem_table("--rows", "bm25_messages,+my_memory", *options)
    assert "My memory against BM25: F1 " in out
    (written,) = (tmp_path / "tables").rglob("offline+bm25_messages+my_memory+*.csv")
    rows = [row for row in csv.DictReader(written.open()) if row["category"] == "all"]
    assert {row["method"] for row in rows} == {"BM25", "BM25, dated", "My memory"}
    assert all(row["answered"] == row["total"] != "0" for row in rows)


def test_a_table_with_a_row_that_a_health_check_stops_is_written_and_the_exit_code_says_so(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    (tmp_path / "conf/table").mkdir(parents=True)
    (tmp_path / "conf/table/mine.yaml").write_text(
        "title: T\nblocks:\n- title: B\n  notes: []\n  columns: [{score: em}]\n"
        "  overrides: [dataset=generated_tot, dataset.build.graphs_per_cell=1, reader=symbolic]\n"
        "  rows:\n  - {overrides: [method=bm25_messages, method.build.top_k=999]}\n"
        "  - {overrides: [method=full_context]}\n"
    )
    done = remem(tmp_path, "table", "mine", "--config-dir", "conf", "run.histories=1")
    assert done.code == 3
    assert "1 row failed. The first reason, once:\n  BM25: every query retrieves" in done.err
    (written,) = (tmp_path / "results/tables").rglob("*.md")
    assert "BM25: not run: every query retrieves the entire memory" in written.read_text()
    assert "| Full-Context |" in " ".join(written.read_text().split())
