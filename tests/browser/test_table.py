"""The page of a table in a browser: order, filters and explanations, with the keyboard alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_files import write_table_page
from remem.tables.table import Block, Cell, Row, Table, Value

pytestmark = pytest.mark.extra
Open = Callable[[Path], Any]
COLUMNS = (ScoreColumn("F1", "f1"), ScoreColumn("F1, when", "f1", "2"))
RUN = "runs/locomo/bm25+direct/none+x"


def row(label: str, *means: float, run: str = "runs/a") -> Row:
    cells = (Cell(ours=Value(mean, mean - 2, mean + 2, 100, 30, True, 0.01)) for mean in means)
    return Row(label, tuple(cells), answered=100, total=100, run=run)


@pytest.fixture
def table(opened: Open, tmp_path: Path) -> Any:
    chats = Block("Chats", COLUMNS, (row("Zep", 20, 9), row("BM25", 30, 8, run=RUN)))
    facts = Block("Facts", COLUMNS, (Row("Mem0", (row("Mem0", 50).cells[0], None)),))
    page = Table("mine", "Mine", (chats, facts))
    return opened(write_table_page(page, ["remem table mine"], tmp_path / "tables" / "mine"))


def names(page: Any) -> list[Any]:
    return [name for name in page.locator("tbody tr td:first-child").all() if name.is_visible()]


def texts(page: Any) -> list[str]:
    return [name.inner_text() for name in names(page)]


def test_a_heading_sorts_best_first_then_the_other_way_and_the_address_keeps_it(table: Any) -> None:
    heading = table.get_by_role("button", name="F1", exact=True).first
    heading.focus()
    table.keyboard.press("Enter")
    assert texts(table) == ["BM25", "Zep", "Mem0"]
    assert (
        table.get_by_role("columnheader", name="F1", exact=True).first.get_attribute("aria-sort")
        == "descending"
    )
    table.keyboard.press("Enter")
    assert texts(table) == ["Zep", "BM25", "Mem0"]
    table.get_by_role("button", name="F1, when").first.click()  # Mem0 has no such number
    table.reload()
    assert texts(table) == ["Zep", "BM25", "Mem0"]
    assert "sort=-F1%2C+when" in table.url


def test_search_and_block_leave_the_rows_that_fit_and_count_them(table: Any) -> None:
    table.get_by_text("Search, filter").click()
    table.get_by_label("search methods").fill("bm")
    assert texts(table) == ["BM25"]
    assert table.get_by_role("status").inner_text() == "1 row"
    table.get_by_label("search methods").fill("")
    table.get_by_label("all blocks").select_option("Facts")
    assert texts(table) == ["Mem0"]
    table.reload()
    assert texts(table) == ["Mem0"]


def test_a_number_is_explained_where_the_keyboard_is_and_leads_to_its_questions(table: Any) -> None:
    number = table.get_by_role("link", name="8.0*")
    number.focus()
    tip = table.get_by_role("tooltip")
    assert "F1, when of BM25: 8.0, 95% interval [6.0, 10.0], 100 questions" in tip.inner_text()
    assert "more than chance" in tip.inner_text()
    assert number.get_attribute("href") == f"../../{RUN}/report.html#score=f1&category=2".replace(
        "+", "%2B"
    )
    table.keyboard.press("Enter")  # from disk, the report may not be written
    assert f"/{RUN}'" in tip.inner_text()
    assert tip.inner_text().count("remem report") == 1
    table.keyboard.press("Escape")
    assert not tip.is_visible()


def test_names_stay_in_view_on_a_phone(table: Any) -> None:
    table.set_viewport_size({"width": 390, "height": 844})
    table.locator(".wide").first.evaluate("place => { place.scrollLeft = 400; }")
    box = names(table)[0].bounding_box()
    assert 0 <= box["x"] < 30


def test_assistive_technology_finds_the_table_its_headings_and_its_numbers(table: Any) -> None:
    tree = table.locator("#table").aria_snapshot()
    assert tree.count("- table") == 2
    for part in ('columnheader "F1"', 'cell "BM25"', 'link "30.0*"'):
        assert part in tree
