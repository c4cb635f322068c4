"""The comparison of runs in a browser: filters, traces, and links that lead back to them."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.extra
REMEM = Path(sys.executable).parent / "remem"
Open = Callable[[Path], Any]


@pytest.fixture(scope="session")
def diff(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of three runs, two of them identical."""
    path = tmp_path_factory.mktemp("diff") / "diff.html"
    words = ("compare", *runs[:2], runs[0], "--html", path)
    subprocess.run([REMEM, *words], check=True, capture_output=True)
    return path


def test_a_question_opens_with_the_trace_of_every_run_beside_each_other(
    opened: Open, diff: Path
) -> None:
    page = opened(diff)
    page.locator("#table tbody tr.row").first.click()
    sides = page.locator(".sides > div")
    boxes = [side.bounding_box() for side in sides.all()]
    assert len(boxes) == 3 and len({box["y"] for box in boxes}) == 1
    trace = page.locator("td.trace").inner_text()
    # a gist of the one run, and a message of the other, with its text
    assert re.search(r"g\d+ ([\d.]+ )?\[\d{4}[-/\d]*\] \[.+\] \w+: ", trace)
    assert re.search(r"D\d+:\d+ \[.+\] \w+: \w+", trace)


def test_question_and_gold_stay_in_view_when_the_table_is_scrolled(
    opened: Open, diff: Path
) -> None:
    page = opened(diff)
    cells = page.locator("#table tr.row").first.locator("td")
    before = [cells.nth(at).bounding_box()["x"] for at in range(3)]
    page.locator("#answers .wide").evaluate("box => { box.style.width = '700px'; }")
    page.locator("#answers .wide").evaluate("box => { box.scrollLeft = 150; }")
    after = [cells.nth(at).bounding_box()["x"] for at in range(3)]
    assert after[:2] == pytest.approx(before[:2], abs=1) and after[2] < before[2] - 100


def test_runs_that_disagree_are_shown_first_and_a_filter_leaves_one_kind(
    opened: Open, diff: Path
) -> None:
    page = opened(diff)
    rows = page.locator("#table tbody tr.row")
    for cells in (row.locator("td.answer").all() for row in rows.all()):
        kinds = {"right" in cell.get_attribute("class") for cell in cells}
        assert kinds == {True, False}
    disagree = rows.count()
    page.select_option("#show", "only-2")
    assert 0 < rows.count() < disagree
    page.select_option("#show", "all")
    assert rows.count() > disagree
    page.select_option("#category", label="2 when")
    shown = page.locator("#table td.question small").all_inner_texts()
    assert shown and set(shown) == {"2 when"}


def test_the_address_leads_back_to_filters_and_to_a_question(opened: Open, diff: Path) -> None:
    page = opened(diff)
    page.select_option("#show", "all")
    page.fill("#words", "when")
    found = page.locator("#found").inner_text()
    page.reload()
    assert page.locator("#found").inner_text() == found
    asked = page.locator("#table button.asked").last
    question = asked.inner_text()
    asked.focus()
    page.keyboard.press("Enter")
    assert page.locator("td.trace").count() == 1
    page.evaluate("document.activeElement.blur()")
    link = page.get_by_role("link", name="Link to this question").get_attribute("href")
    page.goto("about:blank")
    page.goto(f"{diff.as_uri()}{link}")
    assert page.evaluate("document.activeElement.textContent") == question
    assert question in page.locator("td.trace").inner_text()


def test_a_page_of_two_runs_calls_them_by_their_names(
    opened: Open, runs: list[Path], diff: Path
) -> None:
    path = diff.with_name("pair.html")
    subprocess.run([REMEM, "compare", *runs[:2], "--html", path], check=True, capture_output=True)
    page = opened(path)
    headings = page.locator("#table th").all_inner_texts()
    assert headings == ["question", "gold", "BM25", "REMem-I (scripted)"]
    shown = page.locator("body").inner_text().lower()
    assert not re.search(r"\b(first|second) (run|right|better)|only (first|second)", shown)
