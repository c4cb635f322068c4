"""A user's own methods next to the rows of a paper's table, and their paired tests."""

from pathlib import Path

import pytest

from remem.errors import UsageError
from remem.run.progress import no_view
from remem.tables.file_formats import as_latex
from remem.tables.paper.own_rows import asks_model
from remem.tables.paper.rows import changed
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table

TABLE = """number: 3
label: "tab:mine"
groups:
  - {key: g, title: Tiny (4), dataset: locomo, category: all, n: 4,
     metrics: {f1: hipporag_f1, llm_j: mem0_judge}}
rows: |
  label | memory | reader | ablation | variant | g f1 | g llm_j
  Full-Context | full_context | direct | none | | 50.0 -9.8 +9.8 | 50.0
"""
COUNTED = """number: 4
label: "tab:counted"
groups:
  - {key: g, title: "", dataset: locomo, category: queries, n: 4, metrics: {count: counted}}
rows: |
  label | memory | reader | ablation | variant | g
  Queries | - | - | - | | 4
"""
MADE_WITH = """hipporag_f1: {score: {f1: hipporag2}, evidence: e}
mem0_judge: {score: {}, evidence: e}
counted: {score: {}, evidence: e}
"""


def find_runs() -> TableRuns:
    return TableRuns("llm_free", no_view)


def test_a_method_without_a_model_is_added_to_the_llm_free_block_and_compared(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    made = paper_table("mine", overrides, find_runs(), paper, ["bm25_sessions"])
    assert made.name == "mine+bm25_sessions"
    assert [row.label for row in made.blocks[0].rows] == ["Full-Context"]
    labels = [row.label for row in made.blocks[1].rows]
    against = [note for note in made.notes if note.startswith("BM25 (sessions) against ")]
    assert len(against) == len([label for label in labels if label != "BM25 (sessions)"])
    assert all("g f1 " in note and "of 4 questions" in note for note in against)


def test_a_method_that_asks_a_model_is_added_to_the_rows_with_one(
    tmp_path: Path, paper: Path, overrides: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda dataset, added: [])
    methods = tmp_path / "conf" / "method"
    methods.mkdir(parents=True)
    (methods / "asking.yaml").write_text(
        "name: asking\nlabel: Asking\nbuild:\n  _target_: rehearsal.Memory\n"
        "  chat_model: ${llm.build}\n"
    )
    overrides = (*overrides, f"hydra.searchpath=[file://{tmp_path / 'conf'}]")
    assert asks_model("asking", overrides)
    assert not asks_model("bm25_messages", overrides)
    made = paper_table("mine", overrides, find_runs(), paper, ["asking"])
    assert [row.label for row in made.blocks[0].rows] == ["Full-Context", "Asking"]
    cell = made.blocks[0].rows[1].cells[0]
    assert cell is not None
    assert (cell.ours, cell.paper, cell.reason) == (None, "", "no records")
    assert "Asking & not run & not run" in as_latex(made)


def test_a_table_without_a_score_takes_no_method(paper: Path, overrides: tuple[str, ...]) -> None:
    (paper / "mine.yaml").write_text(COUNTED)
    with pytest.raises(UsageError, match=r"has no column that \+bm25_messages could fill"):
        paper_table("mine", overrides, find_runs(), paper, ["bm25_messages"])


def test_where_encoders_are_served_each_row_asks_for_its_own() -> None:
    served, name = ("run.limit=1", "embedder=served"), "embedder.build.embedder.model="
    nv = ("method=remem_i", "embedder=nv_embed_v2")
    qwen = (*nv, "embedder=qwen3_embedding_8b")
    assert changed(nv, served) == (*nv, *served, f"{name}nv_embed_v2")
    assert changed(qwen, served) == (*qwen, *served, f"{name}qwen3_embedding_8b")
    named = (*served, f"{name}mine")
    assert changed(qwen, named) == (*qwen, *named)
    again = (*served, "embedder=hashing")
    assert changed(qwen, again) == (*qwen, *again)
    none = ("method=bm25_messages",)
    assert changed(none, served) == (*none, *served)
