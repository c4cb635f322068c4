"""`remem view` in a browser: the list of runs, a choice of some, and their comparison."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_files import write_table_page
from remem.tables.table import Block, Cell, Row, Table, Value

VALUE = Value(40.0, 38.0, 42.0, 4, None, percent=True)
CELL = Cell(ours=VALUE)
pytestmark = pytest.mark.extra
REMEM = Path(sys.executable).parent / "remem"


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    """A copy of the two runs, to which a test may add."""
    shutil.copytree(results / "results" / "runs", tmp_path / "results" / "runs")
    return tmp_path


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """The address of a server of the two runs."""
    command = [REMEM, "view", folder / "results", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[1]
        server.terminate()


@pytest.fixture(params=[(1240, "light"), (390, "dark")], ids=["desktop", "phone"])
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page in which no script may fail."""
    width, scheme = request.param
    opened = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    noise: list[str] = []
    opened.on("pageerror", lambda error: noise.append(str(error)))
    opened.on("console", lambda said: noise.append(said.text))
    yield opened
    opened.close()
    assert noise == []


def test_runs_are_chosen_with_the_keyboard_and_compared(page: Any, address: str) -> None:
    page.goto(address)
    rows = page.locator("#table tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.select_option("#dataset", "generated_dialogues")
    for label in ("REMem-I", "BM25"):
        rows.filter(has_text=label).first.locator("input").focus()
        page.keyboard.press("Space")
        assert page.evaluate("document.activeElement.checked")  # and the focus stays
    page.locator("#compare").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/diff.html")
    assert "REMem-I" in page.title() and "BM25" in page.title()


def test_every_value_of_a_run_is_in_view(page: Any, address: str) -> None:
    page.goto(address)
    wide = page.evaluate("window.innerWidth")
    cells = page.locator("#table tbody td").all()
    assert len(cells) >= 10 and len(cells) % 5 == 0  # of two runs or more
    for cell in cells:
        box = cell.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= wide


def test_a_filter_and_a_search_leave_the_runs_that_match(page: Any, address: str) -> None:
    page.goto(address)
    page.select_option("#label", "BM25")
    listed = page.locator("#table tbody tr").all_inner_texts()
    assert listed and all("BM25" in row for row in listed)
    page.fill("#search", "no such run")
    assert page.locator("#table tbody tr").count() == 0
    assert page.locator("#found").inner_text().startswith("0 of ")


def test_a_table_is_drawn_and_sorted_under_the_policy_of_the_server(
    page: Any, address: str, folder: Path
) -> None:
    own = replace(CELL, ours=replace(VALUE, mean=50.0))
    rows = (Row("first", (CELL,)), Row("second", (own,)))
    table = Table("mine", "Mine", (Block("", (ScoreColumn("F1", "f1"),), rows),))
    path = write_table_page(table, [], folder / "results" / "tables" / "mine")
    with path.open("a") as file:
        file.write("<script>document.title = 'stolen'</script>")
    page.goto(address)
    page.get_by_role("link", name="Mine").click()
    assert page.locator("figure .dot").count() == 2
    assert (
        page.evaluate("getComputedStyle(document.querySelector('figure .grid')).stroke") != "none"
    )
    page.get_by_role("button", name="F1").click()
    assert page.locator("tbody tr td:first-child").all_inner_texts() == ["second", "first"]
    assert page.title() == "Mine"


def test_a_run_that_begins_later_appears_without_reloading(
    page: Any, address: str, folder: Path
) -> None:
    page.goto(address)
    command = ("run", "method=no_memory", "run.histories=2", "convention.score.resamples=99")
    subprocess.run([REMEM, *command], cwd=folder, check=True, capture_output=True)
    page.get_by_role("link", name="No memory").click()
    page.wait_for_load_state()
    assert "No memory" in page.title()
