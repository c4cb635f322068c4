"""The report of a run in a browser: filter, sort, open a trace; what is injected stays text."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.run.store import read_records

pytestmark = pytest.mark.extra
REMEM = Path(sys.executable).parent / "remem"
Open = Callable[[Path], Any]

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def report(run: Path, *options: str) -> Path:
    page = run / "report.html"
    subprocess.run([REMEM, "report", run, *options], cwd=run, check=True, capture_output=True)
    return page


@pytest.fixture
def run(runs: list[Path]) -> Path:
    return next(path for path in runs if "remem_i" in str(path))


def found(page: Any) -> int:
    return int(page.locator("#found").inner_text().split()[0].replace(",", ""))


def test_a_search_and_the_filters_leave_what_they_say(opened: Open, run: Path) -> None:
    page = opened(report(run))
    records = read_records(run)
    assert found(page) == len(records)
    category = records[0].gold.category
    page.select_option("#category", category)
    assert found(page) == sum(record.gold.category == category for record in records)
    page.select_option("#category", "")
    page.fill("#search", records[3].question.lower())
    assert found(page) == sum(record.question == records[3].question for record in records)


def test_the_outcomes_add_up_to_all_questions(opened: Open, run: Path) -> None:
    page = opened(report(run))
    everything = found(page)
    counts = []
    for outcome in ("right", "partly", "wrong", "error"):
        page.select_option("#outcome", outcome)
        counts.append(found(page))
    assert sum(counts) == everything
    assert counts[0] > 0
    assert counts[2] > 0


def test_a_column_sorts_both_ways(opened: Open, run: Path) -> None:
    page = opened(report(run))
    heading = page.locator("#table th button", has_text="f1")

    def scores() -> list[float]:
        shown = page.locator("#table tbody tr.row td:nth-child(5)").all_inner_texts()
        return [float(item) for item in shown if item != "-"]

    heading.click()
    assert scores() == sorted(scores())
    page.locator("#table th button", has_text="f1").click()
    assert scores() == sorted(scores(), reverse=True)


def test_a_trace_opens_below_its_question_with_tools_items_and_gold(
    opened: Open, run: Path
) -> None:
    page = opened(report(run))
    page.locator("#table tbody tr.row").first.click()
    trace = page.locator("td.trace").inner_text()
    assert "semantic_retrieve" in trace
    assert "lexical_retrieve" in trace
    assert "found by" in trace or "missed" in trace
    # the text of what came back, and the time it has
    assert re.search(r"g\d+ [\d.]+ \[\d{4}[-/\d]*\] \[.+\] \w+: ", trace)
    page.locator("#table tbody tr.row").first.click()
    assert page.locator("td.trace").count() == 0


def test_a_question_is_opened_with_the_keyboard_alone(opened: Open, run: Path) -> None:
    page = opened(report(run))
    page.locator("button.asked").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("td.trace").count() == 1
    assert page.locator("button.asked[aria-expanded=true]").count() == 1


def test_the_memory_view_shows_dated_gists_and_where_they_came_from(
    opened: Open, run: Path
) -> None:
    page = opened(report(run))
    assert page.locator("#memory-view").inner_text().count("20") > 10


def test_markup_in_an_answer_stays_text(
    opened: Open, run: Path, tmp_path: Path, change_records: Callable[..., None]
) -> None:
    hostile = tmp_path / "run"
    shutil.copytree(run, hostile)
    texts = iter([f'"answer":"{HOSTILE}"'.encode()])
    answer = re.compile(rb'"answer":"[^"]+"')
    change_records(hostile, lambda line: answer.sub(lambda found: next(texts, found[0]), line))
    page = opened(report(hostile))
    page.fill("#search", "onerror")
    assert found(page) == 1
    assert HOSTILE in page.locator("#table tbody").inner_text()
    page.locator("#table tbody tr.row").first.click()
    assert page.locator("main img").count() == 0


def test_2800_questions_weigh_less_than_25_mb_and_open(opened: Open, results: Path) -> None:
    subprocess.run(
        [REMEM, "run", "dataset=generated_tot", "planner=symbolic", "reader=symbolic",
         "convention.score.resamples=99"],
        cwd=results, check=True, capture_output=True,
    )  # fmt: skip
    (run,) = (path.parent for path in results.glob("results/runs/generated_tot/**/manifest.json"))
    path = report(run)
    assert path.stat().st_size < 25e6
    assert found(opened(path)) == 2800
