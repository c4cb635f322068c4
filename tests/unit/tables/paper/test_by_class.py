"""Tables by temporal class next to runs: the source of the classes, counts, scores, traces."""

from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.paper.layout import MeasuredQuantity
from remem.results.class_counts import question_texts
from remem.results.temporal_classes import classes_file, write_classes
from remem.run.progress import no_view
from remem.run.store import Timing, open_run
from remem.tables.paper.by_class import classifier
from remem.tables.paper.rows import llm_free_rows, paper_overrides, without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table, table_cells
from remem.tables.paper.trace import explain
from remem.tables.table import Cell, Table
from remem.types import Gold, Record

HEADER = 'number: 17\nlabel: "tab:mine"\nn_from: queries\ngroups:\n'
COUNTS = f"""{HEADER.replace("n_from: queries", "")}
  - {{key: locomo, title: Count, dataset: locomo, metrics: {{queries: labelled_by_model}}}}
rows: |
  label | category | locomo
  Event Attributes | when:event_attributes | 3
  Non-temporal | when_not | 1
"""
SCORES = f"""{HEADER}
  - {{key: locomo, title: "", dataset: locomo,
     metrics: {{queries: labelled_by_model, f1: hipporag_f1, llm_j: mem0_judge}}}}
rows: |
  label | memory | reader | ablation | variant | category | locomo queries | locomo f1 | locomo llm_j
  Overall | remem_i | direct | none | | all | 4 | 50.0 | 50.0
  Temporal | remem_i | direct | none | | when | 3 | 25.0 | 25.0
  Event Attributes | remem_i | direct | none | | when:event_attributes | 3 | 25.0 | 25.0
"""  # noqa: E501  the lines of a table
MADE_WITH = """hipporag_f1: {score: {f1: hipporag2}, evidence: e}
mem0_judge: {score: {}, evidence: e}
labelled_by_model: {score: {}, evidence: e}
"""
TEXTS = ("Which entity was the R1 of E2 in 1965?", "Was it nice?")  # as the rehearsal asks them
BM25 = next(row for row in llm_free_rows("locomo") if "method=bm25_messages" in row.overrides)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A folder with a table of counts and one of scores."""
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "counts.yaml").write_text(COUNTS)
    (folder / "scores.yaml").write_text(SCORES)
    (folder / "made_with.yaml").write_text(MADE_WITH)
    return folder


@pytest.fixture(autouse=True)
def one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep only one of the LLM-free rows, to be quick."""
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda dataset, added: [BM25])


def find_runs() -> TableRuns:
    return TableRuns("nothing", no_view)


def write_run(row: tuple[str, ...]) -> None:
    """Write a run whose first answers are right and second ones wrong, the last one an error."""
    config = run_config(compose_config(list(row)))
    folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
    with open_run(folder) as store:
        for history in ("h1", "h2"):
            for at, answer in enumerate(("SECRET", "wrong")):
                name, gold = f"{history}/{at}", Gold(("SECRET",), "1")
                failed = name == "h2/1"
                record = Record(
                    *(name, history, at, TEXTS[at], gold, "error" if failed else "ok"),
                    answer="" if failed else answer,
                    error="gone" if failed else "",
                )
                store.append(record, Timing(name, 1.0, 1.0))


def tell(overrides: tuple[str, ...], **classes: str) -> None:
    """Write the classes that the paper's model is to have given; h1_0 stands for h1/0."""
    config = classifier("locomo", overrides)
    told = {name.replace("_", "/"): one for name, one in classes.items()}
    write_classes(classes_file(config), question_texts(config.build_benchmark()), told)  # type: ignore[arg-type]  # literals


def cell(table: Table, row: str, column: str) -> Cell | None:
    at = next(at for at, item in enumerate(table.blocks[0].columns) if item.score == column)
    rows = {item.label: item for item in table.rows}
    return rows[row].cells[at]


def mean(table: Table, row: str, column: str) -> float | None:
    found = cell(table, row, column)
    return None if found is None or found.ours is None else found.ours.mean


def test_counts_by_rules_are_rows_of_their_own_and_the_papers_are_not_run(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    table = paper_table("counts", overrides, find_runs(), paper)
    assert mean(table, "Event Attributes, by rules", "locomo") == 2
    assert mean(table, "Non-temporal, by rules", "locomo") == 2
    theirs = cell(table, "Event Attributes", "locomo")
    assert theirs is not None
    assert (theirs.ours, theirs.verdict) == (None, "not run")
    assert (
        "no model has classified the questions: remem data classify "
        "dataset=locomo llm=" in theirs.reason
    )
    assert any("classified by rules" in note for note in table.all_notes)


def test_counts_by_the_model_stand_beside_the_papers_and_are_not_comparable(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    tell(overrides, h1_0="event_attributes")
    found = cell(paper_table("counts", overrides, find_runs(), paper), "Non-temporal", "locomo")
    assert found is not None
    assert (found.verdict, found.reason) == ("incomplete", "1/4 questions")
    tell(overrides, h1_0="event_attributes", h1_1="order", h2_0="order", h2_1="non_temporal")
    table = paper_table("counts", overrides, find_runs(), paper)
    found = cell(table, "Event Attributes", "locomo")
    assert found is not None and found.ours is not None
    assert (found.ours.mean, found.delta, found.verdict) == (1.0, -2.0, "not comparable")
    assert found.differences == ("classified with our prompt temporal_class.v1",)
    assert any("agree on 2 of 4 questions, Cohen's kappa" in note for note in table.all_notes)


def test_llm_free_runs_are_scored_by_the_classes_of_the_rules(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    write_run((*BM25.overrides, *without_models(overrides)))
    table = paper_table("scores", overrides, find_runs(), paper)
    assert mean(table, "BM25, Overall", "locomo f1") == pytest.approx(100 * 2 / 3)
    assert mean(table, "BM25, Temporal, by rules", "locomo f1") == 100
    assert mean(table, "BM25, Temporal, by rules", "locomo queries") == 2
    assert mean(table, "BM25, Overall", "locomo queries") == 3  # one of four ended in an error
    assert cell(table, "BM25, Overall", "locomo llm_j") is None


def test_a_row_of_the_paper_is_scored_by_the_classes_of_its_model(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    measured = MeasuredQuantity("remem_i", "direct", "none", "", "locomo", "", "f1")
    write_run((*(paper_overrides(measured, "locomo", None) or ()), *overrides))
    untold = cell(paper_table("scores", overrides, find_runs(), paper), "Temporal", "locomo f1")
    assert untold is not None
    assert (untold.ours, untold.verdict) == (None, "not run")
    tell(overrides, h1_0="order", h1_1="order", h2_0="non_temporal", h2_1="order")
    table = paper_table("scores", overrides, find_runs(), paper)
    assert mean(table, "Overall", "locomo f1") == pytest.approx(100 * 2 / 3)
    assert mean(table, "Temporal", "locomo f1") == 50
    found = cell(table, "Temporal", "locomo f1")
    assert found is not None
    assert "classified with our prompt temporal_class.v1" in found.differences


def test_a_cell_by_class_is_traced_to_the_lines_of_that_class(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    write_run((*BM25.overrides, *without_models(overrides)))
    cells = table_cells("scores", overrides, find_runs(), paper)
    trace = explain(cells, "LLM-free: BM25, Event Attributes, by rules", "locomo f1")
    assert [(line.query_id, line.line) for line in trace.lines] == [("h1/0", 1), ("h2/0", 3)]
    with pytest.raises(UsageError, match="no row 'LLM-free: BM25, Order'"):
        explain(cells, "LLM-free: BM25, Order", "locomo f1")
