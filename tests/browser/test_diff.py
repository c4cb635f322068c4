"""The diff of two runs in a browser: the flips, and the first step that differs."""

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


@pytest.fixture
def diff(runs: list[Path], tmp_path: Path) -> Path:
    path = tmp_path / "diff.html"
    subprocess.run([REMEM, "compare", *runs[:2], "--html", path], check=True, capture_output=True)
    return path


def test_a_flip_opens_with_both_answers_beside_each_other(opened: Open, diff: Path) -> None:
    page = opened(diff)
    rows = page.locator("#table tbody tr.row")
    assert rows.count() > 0
    rows.first.click()
    trace = page.locator("td.trace").inner_text()
    assert "retriev" in trace
    # a gist of the one run, and a message of the other, with its text
    assert re.search(r"g\d+ [\d.]+ \[\d{4}[-/\d]*\] \[.+\] \w+: ", trace)
    assert re.search(r"D\d+:\d+ \[.+\] \w+: \w+", trace)


def test_a_question_has_a_line_of_its_own_above_the_answers_of_named_runs(
    opened: Open, diff: Path
) -> None:
    page = opened(diff)
    question = page.locator("#table tr.question").first
    answers = page.locator("#table tr.row").first
    assert question.locator("td").count() == 1
    wide, narrow = question.bounding_box(), answers.locator("td").first.bounding_box()
    assert wide["width"] == answers.bounding_box()["width"] > narrow["width"]
    assert wide["y"] + wide["height"] <= narrow["y"]
    headings = page.locator("#table th").all_inner_texts()
    assert headings.index("BM25") == headings.index("REMem-I (scripted)") - 1
    shown = page.locator("body").inner_text().lower()
    assert not re.search(r"\b(first|second) (run|right|better)|only (first|second)", shown)


def test_a_filter_leaves_the_flips_of_one_side(opened: Open, diff: Path) -> None:
    page = opened(diff)
    everything = page.locator("#table tbody tr.row").count()
    page.locator("#controls select").first.select_option(index=1)
    assert 0 < page.locator("#table tbody tr.row").count() < everything
