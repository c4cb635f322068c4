"""The paper's worked examples beside runs: answers, scores, missing data, and the files."""

import json
from pathlib import Path

import pytest

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import UsageError
from remem.paper.cases import text_sum
from remem.paper.layout import MeasuredQuantity
from remem.reports.terminal.console import table_console
from remem.run.progress import no_view
from remem.run.store import Timing, open_run
from remem.tables.file_formats import as_csv, as_json
from remem.tables.paper.cases import case_table
from remem.tables.paper.rows import llm_free_rows, paper_overrides, without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.render import as_markdown, write_files
from remem.tables.table import Row, Table
from remem.tables.terminal_view import for_terminal
from remem.types import Gold, Record

QUESTION = "Was it nice?"  # the second of each history of the rehearsal, whose gold is SECRET
CASES = f"""- key: Q1
  place: "Table 8"
  about: one against another
  dataset: locomo
  id: h2/1
  question: "{text_sum(QUESTION)}"
  gold: "{text_sum("secret")}"
  answers:
    - {{system: Whole, memory: full_context, reader: direct, answer: "a | b", verdict: F}}
    - {{system: Rival, memory: mem0, reader: direct, answer: "SECRET", verdict: T}}
- key: E1
  place: Errors
  about: another
  dataset: locomo
  id: null
  question: "{text_sum("nobody asks this")}"
  gold: "{text_sum("x")}"
  answers:
    - {{system: Rival, memory: mem0, reader: direct, answer: "y", verdict: F}}
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A folder with two cases."""
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "cases.yaml").write_text(CASES)
    return folder


BM25 = next(row for row in llm_free_rows("locomo") if "method=bm25_messages" in row.overrides)


@pytest.fixture(autouse=True)
def one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep one of the LLM-free rows: quick."""
    monkeypatch.setattr("remem.tables.paper.cases.llm_free_rows", lambda dataset: [BM25])


def shown(paper: Path, overrides: tuple[str, ...]) -> Table:
    return case_table(overrides, TableRuns("nothing", no_view), paper)


def said(row: Row) -> list[str]:
    """Return the texts of a row: the paper's answer and verdict, ours, EM, F1 and LLM-J."""
    return ["" if cell is None else cell.instead for cell in row.cells]


def write_run(config: RunConfig, answer: str | None) -> None:
    folder = config.run_folder(config.fingerprint(config.build_benchmark().files()))
    failed = {} if answer is not None else {"error": "gone"}
    with open_run(folder) as store:
        gold = Gold(("SECRET",), "1")
        record = Record(
            *("h2/1", "h2", 1, QUESTION, gold, "ok" if answer is not None else "error"),
            answer=answer or "",
            **failed,
        )
        store.append(record, Timing("h2/1", 1.0, 1.0))


def full_context(overrides: tuple[str, ...]) -> RunConfig:
    """Return the configuration that the row of Full-Context looks for."""
    whole = MeasuredQuantity("full_context", "direct", "none", "", "locomo", "", "llm_j")
    return run_config(compose_config([*(paper_overrides(whole, "locomo", None) or ()), *overrides]))


def test_a_case_has_its_gold_and_the_papers_answers_and_is_not_run(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    first, second = shown(paper, overrides).blocks
    assert first.title == "Q1: one against another (Table 8)"
    assert first.facts == ("locomo, question h2/1", f"question: {QUESTION}", "gold: SECRET")
    whole, rival = first.rows
    assert (whole.title, said(whole)) == ("Whole", ["a | b", "wrong", "(not run)", "", "", ""])
    assert said(rival)[:2] == ["SECRET", "right"]
    made_by = whole.cells[2]
    assert made_by is not None
    assert made_by.command.startswith("remem run dataset=locomo method=full_context reader=direct")
    place, note = second.facts
    assert place == "locomo, question of an id not known yet"
    assert "no question of locomo has its words" in note


def test_our_answer_is_next_to_the_papers_with_its_scores(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    write_run(full_context(overrides), "a secret boat")
    table = shown(paper, overrides)
    row = table.blocks[0].rows[0]
    # F1: one of the two content words of the answer is the one word of the gold.
    assert said(row) == ["a | b", "wrong", "a secret boat", "wrong", f"{2 / 3:.2f}", "-"]
    assert row.cells[2] is not None
    assert row.cells[2].differences == ("prompts of our own: reader_direct.v1",)
    assert any(note.startswith("Whole is not comparable") for note in table.all_notes)


def test_a_failed_question_has_no_answer_and_no_scores(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    write_run(full_context(overrides), None)
    row = shown(paper, overrides).blocks[0].rows[0]
    assert said(row)[2:] == ["(failed)", "", "", ""]


def test_llm_free_rows_that_have_been_run_are_labelled(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    write_run(run_config(compose_config([*BM25.overrides, *without_models(overrides)])), "SECRET")
    table = shown(paper, overrides)
    free = [row for row in table.blocks[0].rows if row.llm == "none"]
    assert [(row.title, said(row)) for row in free] == [
        ("BM25 (LLM-free)", ["-", "-", "SECRET", "right", "1.00", "-"])
    ]
    assert "| BM25 (LLM-free) | " in as_markdown(table)


def test_without_data_a_case_shows_its_id_and_says_how_to_get_them(
    paper: Path, tmp_path: Path
) -> None:
    table = shown(paper, (f"paths.data={tmp_path}", f"paths.results={tmp_path}"))
    block = table.blocks[0]
    assert block.facts[0] == "locomo, question h2/1"
    assert not any(fact.startswith(("question:", "gold:")) for fact in block.facts)
    assert "datasets/locomo/README.md" in table.notes[-1]
    assert {said(row)[2] for row in block.rows} == {"(not run)"}


def test_a_gold_that_is_not_the_printed_one_is_told(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    (paper / "cases.yaml").write_text(CASES.replace(text_sum("secret"), text_sum("other")))
    note = shown(paper, overrides).blocks[0].facts[-1]
    assert note == "not the gold that the paper prints: it has other words"


def test_the_files_hold_every_answer_once_and_no_markup_of_it(
    paper: Path, overrides: tuple[str, ...], tmp_path: Path
) -> None:
    write_run(full_context(overrides), "<b>\n|")
    table = shown(paper, overrides)
    assert "&lt;b&gt; \\|" in as_markdown(table) and "a \\| b" in as_markdown(table)
    assert len(as_csv(table).splitlines()) >= 4  # a heading and three answers, one with a line end
    assert json.loads(as_json(table))["blocks"][0]["rows"][0]["cells"][2]["instead"] == "<b>\n|"
    paths = write_files(table, tmp_path / "tables")
    assert [path.name for path in paths] == ["cases.md", "cases.csv", "cases.json"]
    console = table_console()
    with console.capture() as printed:
        console.print(for_terminal(table, console))
    assert "(not run)" in printed.get() and "<b>" in printed.get()


def test_an_unknown_memory_in_the_file_is_refused(paper: Path, overrides: tuple[str, ...]) -> None:
    (paper / "cases.yaml").write_text(CASES.replace("memory: mem0", "memory: nosuch"))
    with pytest.raises(ValueError, match="Q1: unknown method 'nosuch'"):
        shown(paper, overrides)


def test_a_row_without_a_model_is_refused_as_in_the_other_tables(
    paper: Path, overrides: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match="form their own block"):
        shown(paper, (*overrides, "llm=none", "reader=extractive", "judge=none"))
