"""Time and memory next to the paper's come from timed runs only; other cells state a reason."""

import json
import shutil
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.paper.layout import read_table
from remem.run.progress import no_view
from remem.run.store import MANIFEST, TIMINGS, Timing, open_run
from remem.tables.file_formats import as_csv, as_latex
from remem.tables.paper.plan import plan_paper_cell
from remem.tables.paper.rows import llm_free_rows, without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table
from remem.tables.render import as_markdown
from remem.tables.table import Table
from remem.types import Gold, Record

TABLE = """number: 19
label: "tab:mine"
groups:
  - {key: remem_i, title: "", category: all, metrics:
     {index_seconds: timed, query_seconds: timed, peak_gigabytes: timed}}
rows: |
  label | memory | dataset | remem_i index_seconds | remem_i query_seconds | remem_i peak_gigabytes
  LoCoMo | remem_i | locomo | 3,604.2 | 4.3 | 2.6
"""
MADE_WITH = "timed: {score: {}, evidence: e}\n"


ROWS = tuple(
    row
    for row in llm_free_rows("locomo")
    if {"method=bm25_messages", "method=oracle_message"}.intersection(row.overrides)
)


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep only two kinds of the LLM-free rows, to be quick."""
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda dataset, added: ROWS)


def measure(paper: Path, overrides: tuple[str, ...], **changes: object) -> None:
    """Write a made-up run of the paper's row, in place of any earlier one."""
    cell = read_table(paper / "mine.yaml").cells["LoCoMo", "remem_i index_seconds"]
    (row,) = plan_paper_cell(cell, read_table(paper / "mine.yaml"), overrides).runs
    config = run_config(compose_config(row))
    folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
    shutil.rmtree(folder, ignore_errors=True)
    with open_run(folder) as store:
        for at, (recall, read, waited) in enumerate([(1.0, 0.5, 0.5), (2.0, 2.5, 2.0)]):
            gold = Gold(("SECRET",), "1")
            record = Record(f"h1/{at}", "h1", at, "?", gold, "ok", "SECRET")
            store.append(record, Timing(f"h1/{at}", recall, read, waited))
        manifest = {
            "config": config.resolved,
            **{"finished": "now", "own_process": True, "peak_rss_mib": 1536},
            **{"index_seconds": 12.5, "index_waited_seconds": 10.0},
            **{"partial": True, "answered": 2, "questions": 4, "errors": 0},
        }
        store.write_manifest(manifest | changes)


def shown(paper: Path, overrides: tuple[str, ...]) -> Table:
    runs = TableRuns("nothing", no_view)
    return paper_table("mine", overrides, runs, paper)


def test_a_timed_run_is_beside_the_paper_without_what_it_waited(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    measure(paper, overrides)
    table = shown(paper, overrides)
    cells = [cell for cell in table.rows[0].cells if cell is not None]
    assert all("runner=serial cache=bypass" in cell.command for cell in table.cells)
    # 12.5 - 10 s of indexing; (1.5 - 0.5 + 4.5 - 2) / 2 s a query; 1536 MiB
    assert [cell.ours.mean for cell in cells if cell.ours] == [2.5, 1.75, 1.5]
    assert cells[0].delta == pytest.approx(2.5 - 3604.2)
    assert "1.750<br>paper 4.3<br>-2.550 not comparable" in as_markdown(table)
    waited = "LoCoMo: 10.0 s of waiting for endpoints at indexing and 1.250 s a query, left out."
    assert waited in table.notes
    assert "locomo: 2 of 4 questions." in table.notes


def test_a_run_that_was_not_timed_has_the_reason_instead_of_a_number(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    measure(paper, overrides, answered=1, errors=1)
    table, why = shown(paper, overrides), "1 questions in error"
    assert [cell.instead for cell in table.rows[0].cells if cell is not None] == [why] * 3
    assert f"| LoCoMo | {why}<br>paper 3,604.2 |" in " ".join(as_markdown(table).split())
    assert why in as_latex(table)
    assert why in as_csv(table)


def test_llm_free_memories_are_timed_in_a_process_of_their_own(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    labels = [row.label for row in shown(paper, overrides).blocks[1].rows]
    assert "BM25, LoCoMo" in labels
    assert "Oracle Message (given the evidence), LoCoMo" in labels
    runs = TableRuns("llm_free", no_view)
    free = without_models(overrides)
    row = ("dataset=locomo", "method=no_memory", "reader=extractive", "cache=bypass", *free)
    run = runs.find(row, llm_free=True).run
    assert run is not None
    content = json.loads((run.folder / MANIFEST).read_bytes())
    assert content["own_process"] is True
    assert len((run.folder / TIMINGS).read_text().splitlines()) == 4
    TableRuns("llm_free", no_view).find(row, llm_free=True)
    assert json.loads((run.folder / MANIFEST).read_bytes()) == content  # timed once
