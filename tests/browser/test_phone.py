"""Pages on a phone, 390 pixels wide, never scroll sideways and have readable chart texts."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_files import write_table_page
from remem.tables.table import Block, Cell, Row, Table, Value

pytestmark = pytest.mark.extra
REMEM = Path(sys.executable).parent / "remem"
WIDTH, SMALLEST = 390, 11
Show = Callable[[Path], Any]

TEXT_SIZES = """() => [...document.querySelectorAll("svg text")].map((text) => {
  const drawing = text.ownerSVGElement;
  const box = drawing.viewBox.baseVal;
  const scale = box && box.width ? drawing.getBoundingClientRect().width / box.width : 1;
  return parseFloat(getComputedStyle(text).fontSize) * scale;
})"""
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(params=["light", "dark"])
def shown(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Show]:
    """Open a page from disk on a phone."""
    page = chromium.new_page(viewport={"width": WIDTH, "height": 844}, color_scheme=request.param)

    def show(path: Path) -> Any:
        page.goto(path.as_uri())
        return page

    yield show
    page.close()


@pytest.fixture(scope="session")
def report(runs: list[Path]) -> Path:
    run = next(path for path in runs if "remem_i" in str(path))
    subprocess.run([REMEM, "report", run], cwd=run, check=True, capture_output=True)
    return run / "report.html"


@pytest.fixture(scope="session")
def diff(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("phone") / "diff.html"
    subprocess.run([REMEM, "compare", *runs[:2], "--html", path], check=True, capture_output=True)
    return path


@pytest.fixture(scope="session")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page over time of a memory that grows to twelve sessions."""
    folder = tmp_path_factory.mktemp("stream")
    parts = ("dataset.build.conversations=2", "dataset.build.sessions=12", "run.stream=session")
    where = f"paths.results={folder}"
    command = [REMEM, "run", "method=remem_s", *parts, "convention.score.resamples=99", where]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (run,) = (path.parent for path in folder.rglob("growth.jsonl"))
    subprocess.run([REMEM, "report", run], cwd=run, check=True, capture_output=True)
    return run / "stream.html"


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with a long label, eight columns, and a bar at each end of the axis."""
    columns = tuple(ScoreColumn(f"score {at}", "f1") for at in range(8))
    rows = tuple(
        Row(label, tuple(Cell(ours=value) for _ in columns))
        for label, value in (
            ("Oracle Message (given the evidence), newest first", mean(100.0, 99.0, 100.0)),
            ("BM25", mean(0.0, 0.0, 1.0)),
        )
    )
    written = Table("mine", "A table of ours", (Block("Generated dialogues", columns, rows, ()),))
    return write_table_page(written, ("remem table mine",), tmp_path_factory.mktemp("table"))


def mean(middle: float, low: float, high: float) -> Value:
    return Value(middle, low, high, 40, None, percent=True)


@pytest.mark.parametrize("name", ["report", "diff", "table", "stream"])
def test_no_page_scrolls_sideways_and_every_text_can_be_read(
    shown: Show, name: str, request: pytest.FixtureRequest
) -> None:
    page = shown(request.getfixturevalue(name))
    assert page.evaluate(SIDEWAYS) <= 0
    sizes = page.evaluate(TEXT_SIZES)
    assert all(size >= SMALLEST for size in sizes)
    assert sizes or name == "diff"  # whose numbers are cells of a table


@pytest.mark.parametrize("name", ["report", "diff"])
def test_an_opened_question_does_not_widen_the_page(
    shown: Show, name: str, request: pytest.FixtureRequest
) -> None:
    page = shown(request.getfixturevalue(name))
    page.locator("#table tbody tr.row").first.click()
    assert page.locator("td.trace").count() == 1
    assert page.evaluate(SIDEWAYS) <= 0


def test_every_score_and_every_value_of_a_question_is_in_view(shown: Show, report: Path) -> None:
    cells = shown(report).locator("table.cards tbody td").all()
    assert cells
    for box in filter(None, (cell.bounding_box() for cell in cells)):  # an empty cell has none
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTH


def test_captions_wrap_within_the_page(shown: Show, report: Path) -> None:
    page = shown(report)
    for caption in page.locator(".caption, figcaption").all():
        box = caption.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTH
