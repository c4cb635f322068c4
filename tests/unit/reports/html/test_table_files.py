"""The page of a table has its figures, rows, notes and commands, all as text."""

import re
from dataclasses import replace
from pathlib import Path

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_files import LEGEND, write_paper_table, write_table_page
from remem.tables.table import Block, Cell, Row, Table, Value

OURS = Value(40.0, 38.0, 42.0, 4, None, percent=True)
CELL = Cell(
    column="g f1",
    ours=OURS,
    paper="42.4 -1.6 +1.6",
    delta=-2.4,
    verdict="not comparable",
    command="remem run 'a=<i>'",
)
ROWS = (
    Row("<b>Mem</b>", (CELL,)),
    Row("Other", (None,)),
)
FREE = Row("BM25", (Cell(column="g f1", ours=replace(OURS, mean=39.0)),))
COLUMNS = (ScoreColumn("F1", "g f1", group="<u>G</u>"),)
BLOCKS = (Block("", COLUMNS, ROWS), Block("LLM-free rows", COLUMNS, (FREE,)))
TABLE = Table("mine", "Table <3>", BLOCKS, ("a <s>note</s>",), number=3)


def page(tmp_path: Path, table: Table = TABLE) -> str:
    path = write_paper_table(table, tmp_path)[-1]
    assert path == tmp_path / "report.html"
    return path.read_text(encoding="utf-8")


def test_a_cell_has_ours_the_papers_and_the_verdict(tmp_path: Path) -> None:
    text = page(tmp_path)
    assert (
        ">40.0 [38.0, 42.0]</span><br><small>paper 42.4 -1.6 +1.6"
        "</small><br><small>-2.4 not comparable</small></td>"
    ) in text
    assert '<td class="number">-</td>' in text
    assert "<h2>LLM-free rows</h2>" in text and "39.0 [38.0, 42.0]" in text


def test_a_table_of_the_paper_that_lacks_answers_says_so_first(tmp_path: Path) -> None:
    assert "partial" not in page(tmp_path)
    short = replace(CELL, n=10, verdict="incomplete", reason="4/10 questions")
    free = replace(FREE, cells=(replace(FREE.cells[0], n=8),))
    blocks = (
        replace(BLOCKS[0], rows=(replace(ROWS[0], cells=(short,)),)),
        replace(BLOCKS[1], rows=(free,)),
    )
    text = page(tmp_path, replace(TABLE, blocks=blocks))
    assert text.index("partial: some questions have no answer") < text.index("<main>")
    assert "Partial, answered/asked: &lt;b&gt;Mem&lt;/b&gt; 4/10." in text
    assert "Partial, answered/asked: BM25 4/8." in text


def test_the_page_draws_both_dots_and_names_their_kinds(tmp_path: Path) -> None:
    text = page(tmp_path)
    for series, meaning in LEGEND.items():
        assert f"</svg>{series}: {meaning}</li>" in text
        assert text.count(f'class="dot {series}"') == 2  # in the legend, and its one number
        assert text.count(f'class="whisker {series}"') == 1


def test_whatever_is_named_is_text_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = page(tmp_path)
    assert not re.search(r"<(b|u|s|i)>", text)
    assert "&lt;b&gt;Mem" in text and "a=&lt;i&gt;" in text and "a &lt;s&gt;note" in text
    assert not re.search(r"<(link|img|iframe|script[^>]*src)|@import|url\(|https?://", text)
    assert "default-src &#39;none&#39;" in text


def test_a_table_without_scores_has_no_figures(tmp_path: Path) -> None:
    counts = replace(
        TABLE,
        blocks=tuple(
            replace(block, columns=(replace(COLUMNS[0], heading="#"),)) for block in BLOCKS
        ),
    )
    assert "<figure>" not in page(tmp_path, counts)


def test_a_table_of_ones_own_shows_the_commands_of_its_rows(tmp_path: Path) -> None:
    row = Row(
        "BM25",
        (Cell(ours=replace(OURS, p_value=0.01)), None),
        note="n",
        answered=3,
        total=4,
    )
    columns = (ScoreColumn("F1", "f1"), ScoreColumn("EM", "em"))
    table = Table("mine", "Mine", (Block("Block", columns, (row,), ("said",)),))
    path = write_table_page(table, ["remem run dataset=x", "remem run dataset=y"], tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "<td>BM25 (n)</td>" in text and ">3/4</td>" in text
    assert "partial: some questions have no answer" in text
    assert "Partial, answered/asked: BM25 (n) 3/4." in text
    assert ">40.0*</span><br><small>[38.0, 42.0]</small></td>" in text
    assert "remem run dataset=x\nremem run dataset=y</pre>" in text
    assert "<li>said</li>" in text
