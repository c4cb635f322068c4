"""Tables of the paper beside runs: written by hand, changed, lacking, and traced."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from pytest import MonkeyPatch
from rich.console import Console

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.paper.layout import MeasuredQuantity, paper_folder, paper_table_names
from remem.run.progress import no_view
from remem.run.store import MANIFEST, RECORDS, Timing, open_run
from remem.tables.file_formats import as_csv, as_json, as_latex
from remem.tables.paper.own_rows import (
    REFERENCES,
    absent_references,
    datasets_asked,
    reference_notes,
    references_on,
)
from remem.tables.paper.plan import plan_paper_cell
from remem.tables.paper.rows import llm_free_rows, paper_overrides, without_models
from remem.tables.paper.runs import Running, TableRuns
from remem.tables.paper.table import paper_table, table_cells
from remem.tables.paper.trace import explain
from remem.tables.render import as_markdown, write_files
from remem.tables.table import Cell, Table, answered_of_asked
from remem.tables.table_plan import RowPlan
from remem.tables.terminal_view import for_terminal
from remem.types import Gold, Query, Question, Record

ChangeRecords = Callable[[Path, Callable[[bytes], bytes]], None]

TABLE = """number: 3
label: "tab:mine"
groups:
  - {key: g, title: Tiny (4), dataset: locomo, category: all, n: 4,
     metrics: {f1: hipporag_f1, llm_j: mem0_judge}}
rows: |
  label | memory | reader | ablation | variant | g f1 | g llm_j
  Full-Context | full_context | direct | none | | 50.0 -9.8 +9.8 | 50.0
  Mem0 | mem0 | direct | none | | - | 25.0
"""
MADE_WITH = """hipporag_f1: {score: {f1: hipporag2}, evidence: e}
mem0_judge: {score: {}, evidence: e}
"""


def find_runs(running: Running = "nothing") -> TableRuns:
    return TableRuns(running, no_view)


FEW = tuple(
    row
    for row in llm_free_rows("locomo")
    if {"method=full_context", "method=oracle_message"}.intersection(row.overrides)
)


@pytest.fixture
def few_rows(monkeypatch: MonkeyPatch) -> None:
    """Keep only two of the LLM-free rows, to be quick."""
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda dataset, added: FEW)


@pytest.fixture
def records(few_rows: None, paper: Path, overrides: tuple[str, ...]) -> Path:
    """Write records of Full-Context with the paper's model: right, wrong, right, wrong."""
    measured = (
        table_cells("mine", (), find_runs(), paper).paper.cells["Full-Context", "g f1"].measured
    )
    row = paper_overrides(measured, "locomo", None)
    assert row is not None
    config = run_config(compose_config([*row, *overrides]))
    folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
    with open_run(folder) as store:
        for at, answer in enumerate(("SECRET", "wrong", "SECRET", "wrong")):
            name = f"h{at // 2 + 1}/{at % 2}"
            gold = Gold(("SECRET",), "1")
            record = Record(name, name[:2], at % 2, "?", gold, "ok", answer)
            store.append(record, Timing(name, 1.0, 1.0))
    return folder / RECORDS


def cell(table: Table, row: str, column: str) -> Cell:
    at = next(at for at, item in enumerate(table.blocks[0].columns) if item.score == column)
    rows = {item.label: item for item in table.blocks[0].rows}
    found = rows[row].cells[at]
    assert found is not None
    return found


def test_a_run_that_a_health_check_stops_costs_no_other_row(
    paper: Path, overrides: tuple[str, ...], monkeypatch: MonkeyPatch
) -> None:
    of_bm25 = RowPlan(("dataset=locomo", "method=bm25_messages", "reader=extractive"))
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda *_: [of_bm25, *FEW])
    runs = find_runs("llm_free")
    made = paper_table("mine", (*overrides, "run.health=stop"), runs, paper)
    (reason,) = runs.stopped
    assert reason.startswith("locomo: BM25: every query retrieves the entire memory")
    first, *others = made.blocks[1].rows
    assert first.label == "BM25" and first.cells[0] is not None and first.cells[0].ours is None
    assert [bool(list(row.numbers)) for row in others] == [True, True]
    assert {item.verdict for row in others for item in row.cells if item} == {""}


@pytest.mark.usefixtures("few_rows")
def test_a_row_waits_for_the_process_that_writes_its_run(
    paper: Path,
    overrides: tuple[str, ...],
    monkeypatch: MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = run_config(compose_config([*FEW[0].overrides, *without_models(overrides)]))
    folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
    with ExitStack() as other_process:
        other_process.enter_context(open_run(folder))
        ends = SimpleNamespace(sleep=lambda seconds: other_process.close())
        monkeypatch.setattr("remem.tables.paper.runs.time", ends)
        made = paper_table("mine", overrides, find_runs("llm_free"), paper)
    assert f"{folder} is being written by another process; waiting for that" in caplog.text
    assert all(list(row.numbers) for row in made.blocks[1].rows)


def test_a_cell_is_the_mean_of_its_records(
    paper: Path, overrides: tuple[str, ...], records: Path
) -> None:
    made = cell(paper_table("mine", overrides, find_runs(), paper), "Full-Context", "g f1")
    assert made.ours is not None
    assert (made.ours.mean, made.ours.n, made.paper) == (50.0, 4, "50.0 -9.8 +9.8")
    assert answered_of_asked(made) == ""  # no question is missing
    assert (made.delta, made.verdict) == (0.0, "not comparable")
    assert made.differences == ("our own prompts: reader_direct.v1",)
    assert made.runs == (records.parent.relative_to(paper.parent / "results").as_posix(),)


def one_failed(line: bytes) -> bytes:
    failed = line.replace(b'"status":"ok"', b'"status":"error"')
    return failed if b'"h2/0"' in line else line


def test_missing_and_failed_questions_are_incomplete(
    paper: Path, overrides: tuple[str, ...], records: Path, change_records: ChangeRecords
) -> None:
    change_records(records.parent, one_failed)
    *three, _ = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(three))
    runs = find_runs()
    made = cell(paper_table("mine", overrides, runs, paper), "Full-Context", "g f1")
    assert (made.verdict, made.reason, len(runs.failures)) == ("incomplete", "2/4 questions", 1)
    assert answered_of_asked(made) == "2/4"


def test_the_tokens_of_a_run_with_a_failed_question_are_incomplete(
    paper: Path, overrides: tuple[str, ...], records: Path, change_records: ChangeRecords
) -> None:
    tokens = TABLE.replace("f1: hipporag_f1", "tokens: o200k_tokens").replace("g f1", "g tokens")
    (paper / "mine.yaml").write_text(tokens)
    (paper / "made_with.yaml").write_text(MADE_WITH + "o200k_tokens: {score: {}, evidence: e}\n")
    (records.parent / MANIFEST).write_text('{"finished": "2026-01-01"}')
    change_records(records.parent, one_failed)
    made = cell(paper_table("mine", overrides, find_runs(), paper), "Full-Context", "g tokens")
    assert (made.verdict, made.reason, made.delta) == ("incomplete", "3/4 questions", -50.0)


def test_the_convention_of_the_text_stands_beside_a_cell_made_with_another(
    paper: Path, overrides: tuple[str, ...], records: Path, change_records: ChangeRecords
) -> None:
    (paper / "made_with.yaml").write_text(MADE_WITH.replace("hipporag2", "released_comma_cut"))
    # A comma splits the answer: 1 of 1 part found gives F1 1 by LoCoMo's rule, 2/3 by HippoRAG's.
    wrong, other = b'"answer":"wrong"', b'"answer":"SECRET, no"'
    change_records(records.parent, lambda line: line.replace(wrong, other))
    made = cell(paper_table("mine", overrides, find_runs(), paper), "Full-Context", "g f1")
    assert made.ours is not None
    assert (made.ours.mean, made.as_text) == (100.0, pytest.approx(100 * (2 + 2 * 2 / 3) / 4))


def test_a_trace_names_the_lines_that_make_the_cell(
    paper: Path, overrides: tuple[str, ...], records: Path
) -> None:
    with open_run(records.parent) as store:  # answered again: the last line counts
        again = replace(store.records()[1], answer="SECRET")
        store.append(again, Timing(again.query_id, 1.0, 1.0))
    trace = explain(table_cells("mine", overrides, find_runs(), paper), "Full-Context", "g f1")
    assert [(line.query_id, line.line, line.score) for line in trace.lines] == [
        ("h1/0", 1, 1.0),
        ("h1/1", 5, 1.0),
        ("h2/0", 3, 1.0),
        ("h2/1", 4, 0.0),
    ]
    assert trace.ours is not None
    assert trace.ours.mean == 75.0


def test_what_differs_from_the_first_row_of_its_block_is_marked(
    paper: Path, overrides: tuple[str, ...], records: Path
) -> None:
    rows = TABLE + "  BM25 | bm25_messages | direct | none | | 10.0 | 10.0\n"
    two_scores = rows.replace("llm_j: mem0_judge", "em: hipporag_f1").replace("g llm_j", "g em")
    (paper / "mine.yaml").write_text(two_scores)
    asked = [f"h1/{at}" for at in range(20)]

    def answer(memory: str, right: Callable[[int], bool]) -> None:
        measured = MeasuredQuantity(memory, "direct", "none", "", "locomo", "all", "f1")
        row = paper_overrides(measured, "locomo", None)
        assert row is not None
        config = run_config(compose_config([*row, *overrides]))
        folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
        with open_run(folder) as store:
            for at, name in enumerate(asked):
                gold = Gold(("SECRET",), "1", group=name)
                said = "SECRET" if right(at) else "wrong"
                store.append(Record(name, "h1", at, "?", gold, "ok", said), Timing(name, 1.0, 1.0))

    records.unlink()
    answer("full_context", lambda at: True)
    answer("bm25_messages", lambda at: at % 2 == 0)
    table = paper_table("mine", overrides, find_runs(), paper)
    first, other = (cell(table, label, "g f1").ours for label in ("Full-Context", "BM25"))
    assert first is not None and other is not None
    # Each score is a family of one test, so Holm leaves its p: half of 20 differ by 1, far beyond
    # 0 in all 99 draws.
    assert (first.p_value, first.mark) == (None, "")
    assert (other.p_value, other.mark) == (pytest.approx(2 / 100), "*")
    other_score = cell(table, "BM25", "g em").ours
    assert other_score is not None and other_score.p_value == pytest.approx(2 / 100)
    (note,) = (item for item in table.notes if item.startswith("* "))
    assert "(Full-Context): paired bootstrap over questions" in note
    assert "all comparisons of the same score, dataset and block (1 at once;" in note
    assert "50.0* [" in as_markdown(table)
    assert "}$*" in as_latex(table)
    written = json.loads(as_json(table))["rows"][2]["cells"][0]["ours"]
    assert written["p_value"] == other.p_value


@pytest.mark.usefixtures("few_rows")
def test_an_oracle_that_is_told_nothing_is_a_dash_with_the_reason(
    paper: Path, overrides: tuple[str, ...], rehearsal: ModuleType, monkeypatch: MonkeyPatch
) -> None:
    def untold(self: object, history_id: str) -> list[Question]:
        return [Question(Query(f"{history_id}/0", history_id, 0, "?"), Gold(("SECRET",), "kind"))]

    monkeypatch.setattr(rehearsal.Tiny, "questions", untold)
    table = paper_table("mine", overrides, find_runs("llm_free"), paper)
    rows = {row.label: row.cells for row in table.blocks[1].rows}
    assert rows["Oracle Message (given the evidence)"] == (None, None)
    assert rows["Full-Context"][0] is not None and rows["Full-Context"][0].ours is not None
    (note,) = (item for item in table.notes if item.startswith("locomo: no Oracle Message"))
    assert "no question of locomo has any" in note


def test_a_method_of_one_of_two_pooled_datasets_has_no_number_for_both(
    paper: Path, overrides: tuple[str, ...], monkeypatch: MonkeyPatch
) -> None:
    def full_context(dataset: str, added: object) -> list[RowPlan]:
        return [row for row in llm_free_rows(dataset) if "method=full_context" in row.overrides]

    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", full_context)
    assert (len(full_context("locomo", ())), full_context("musique", ())) == (1, [])
    (paper / "mine.yaml").write_text(TABLE.replace("dataset: locomo", "dataset: locomo+musique"))
    table = paper_table("mine", overrides, find_runs("llm_free"), paper)
    rows = {row.label: row.cells for row in table.blocks[1].rows}
    assert rows["Full-Context"] == (None, None)


def test_every_table_has_rows_and_references_that_can_be_run_or_says_why_not() -> None:
    for name in paper_table_names(paper_folder()):
        cells = table_cells(name, (), find_runs(), paper_folder())
        for item in cells.paper.cells.values():
            plan = plan_paper_cell(item, cells.paper, ())
            assert item.made_with == "counted" or plan.runs or plan.out_of_reach, item
        datasets = datasets_asked(cells)
        notes = list(reference_notes(cells.paper, datasets))
        there = {item for dataset in datasets for item in references_on(dataset)}
        assert there | set(absent_references(datasets)) == set(REFERENCES), name
        for reference in REFERENCES:
            for dataset in datasets:
                told = any(note.startswith(f"{dataset}: no {reference}: ") for note in notes)
                assert told is not (reference in references_on(dataset)), name
        without = any(note.startswith("No reference rows") for note in notes)
        assert without is not bool(datasets), name


def test_without_data_every_table_of_the_paper_appears_as_not_run(tmp_path: Path) -> None:
    runs = find_runs()
    nowhere = (f"paths.data={tmp_path}", f"paths.results={tmp_path}")
    for name in ("refusal", "graphs", "datasets"):
        table = paper_table(name, nowhere, runs, paper_folder())
        cells = [item for row in table.blocks[0].rows for item in row.cells if item is not None]
        assert {item.verdict for item in cells} == {"not run"}
        assert all(item.paper and item.reason and item.ours is None for item in cells)
        assert all(item.paper in as_markdown(table) for item in cells)
        if name == "graphs":  # in which no reference can be
            free = [(row.label, set(row.cells)) for row in table.blocks[1].rows]
            assert free == [(reference, {None}) for reference in REFERENCES]
            assert any("a reference has none" in note for note in table.notes)


def test_a_row_without_a_model_a_stub_and_an_unknown_table_are_refused(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    without = (*overrides, "llm=none", "reader=extractive", "judge=none", "embedder=hashing")
    with pytest.raises(UsageError, match="are in a separate block"):
        paper_table("mine", without, find_runs(), paper)
    with pytest.raises(UsageError, match="--rehearse"):
        paper_table("mine", (*overrides, "llm=loopback-stub"), find_runs(), paper)
    with pytest.raises(UsageError, match="no table 'nosuch'; its tables are mine"):
        paper_table("nosuch", (), find_runs(), paper)


def test_the_files_hold_ours_the_papers_delta_and_verdict(
    paper: Path, overrides: tuple[str, ...], records: Path, tmp_path: Path
) -> None:
    table = paper_table("mine", overrides, find_runs(), paper)
    assert "paper 50.0 -9.8 +9.8<br>+0.0 not comparable" in as_markdown(table)
    assert r"\multicolumn{2}{c}{Tiny (4)}" in as_latex(table)
    assert r"\quad paper & $50.0_{-9.8}^{+9.8}$ & $50.0$ \\" in as_latex(table)
    assert json.loads(as_json(table))["rows"][0]["cells"][0]["paper"] == "50.0 -9.8 +9.8"
    first = as_csv(table).splitlines()[1]
    assert first.startswith("mine,paper,Full-Context,g f1,50.0000,")
    assert ",50.0 -9.8 +9.8,0.0000," in first  # a delta of 0 is a number
    assert for_terminal(table, Console()) is not None
    paths = write_files(table, tmp_path / "tables")
    assert [path.suffix for path in paths] == [".md", ".tex", ".csv", ".json"]
    again = write_files(paper_table("mine", overrides, find_runs(), paper), tmp_path / "again")
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]


@pytest.mark.usefixtures("few_rows")
def test_a_command_runs_its_row_and_has_it_judged(paper: Path, overrides: tuple[str, ...]) -> None:
    table = paper_table("mine", overrides, find_runs(), paper)
    run, judge = cell(table, "Full-Context", "g llm_j").command.split("; ")
    assert run.startswith("remem run dataset=locomo method=full_context reader=direct")
    assert judge.startswith("remem judge run ") and "llm=gpt-4.1-mini-2025-04-14" in judge
    assert replace(cell(table, "Mem0", "g llm_j"), command="").verdict == "not run"
