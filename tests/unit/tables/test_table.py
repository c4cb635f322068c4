"""How a notebook displays a table."""

from pathlib import Path
from types import SimpleNamespace

from remem.metrics.columns import ScoreColumn
from remem.results.run import Run
from remem.tables.table import Block, Cell, Row, Table, Value
from remem.types import Evidence, Fact, Gist, Gold, Passage, Record

EVIL = "<script>alert(1)</script>"
SAFE = "&lt;script&gt;alert(1)&lt;/script&gt;"


def test_a_table_has_its_labels_numbers_intervals_and_notes() -> None:
    cell = Cell(column="f1", ours=Value(31.84, 30.0, 33.0, 20, None, True, p_value=0.01))
    rows = (Row(EVIL, (cell,)), Row("BM25", (None,)))
    block = Block("One reader", (ScoreColumn("F1", "f1"),), rows, notes=(f"note {EVIL}",))
    shown = Table("t", f"title {EVIL}", (block,))._repr_html_()
    assert f"<h4>title {SAFE}</h4>" in shown
    assert "<caption>One reader</caption>" in shown
    assert "<th>Method</th><th>F1</th>" in shown
    assert f"<tr><td>{SAFE}</td><td>31.8* " in shown
    assert "<tr><td>BM25</td><td>-</td></tr>" in shown
    assert f"<li>note {SAFE}</li>" in shown
    assert "<script" not in shown


def test_evidence_has_a_row_for_each_item() -> None:
    found = Evidence(
        gists=(Gist("g1", EVIL, None, "s1", ("m1",)),),
        facts=(Fact("f1", "Ann", "adopted", "a dog", None, "s1", ("m1",)),),
        passages=(Passage("m1", "We adopted a dog.", None, ("m1",)),),
    )
    shown = found._repr_html_()
    assert f"<tr><td>gist</td><td>{SAFE}</td>" in shown
    assert "<tr><td>fact</td><td>Ann adopted a dog</td>" in shown
    assert "<tr><td>passage</td><td>We adopted a dog.</td>" in shown


def test_a_run_shows_its_first_ten_questions_and_how_many_there_are() -> None:
    gold = Gold(answers=("x",), category="c", answerable=True, evidence=(), group="h")
    records = tuple(Record(f"q{n}", "h", n, EVIL, gold, "ok", answer=f"a{n}") for n in range(12))
    run = Run(Path("d/m/f"), SimpleNamespace(), SimpleNamespace(), records)  # type: ignore[arg-type]
    shown = run._repr_html_()
    assert "d/m/f: the first 10 of 12 questions" in shown
    assert f"<td>q9</td><td>{SAFE}</td><td>a9</td><td>ok</td>" in shown
    assert "q10" not in shown
