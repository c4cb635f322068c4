"""The page of a sweep: its table first, with links to the reports of its runs."""

import base64
import hashlib
import re
from pathlib import Path

from remem.metrics.intervals import Percentiles
from remem.reports.html.small_multiples import write_sweep_page
from remem.results.costs import Cost, RunCosts
from remem.run.sweep_jobs import Job
from remem.tables.sweep_table import SweepBlock, SweepCell, SweepRow, SweepTable
from remem.tables.table import Value

MEAN = Value(31.7, 30.0, 33.0, 40, 10, percent=True)
GAP = Value(-2.5, -4.0, -1.0, 40, 10, percent=True, p_value=0.01)


def page(tmp_path: Path, *rows: SweepRow) -> str:
    sweep = tmp_path / "sweeps" / "ablation_locomo-12345678"
    table = SweepTable("Sweep over ablation", (SweepBlock("", ("F1",), rows, ("a note",)),))
    unfinished = [
        Job(row.job.number, row.job.overrides, "failed", error=row.job.error) for row in rows
    ]
    return write_sweep_page(sweep, table, unfinished).read_text("utf-8")


def test_an_override_and_an_error_are_shown_as_text(tmp_path: Path) -> None:
    job = Job(0, ("a=<script>alert(1)</script>",), "failed", error="<b>no</b>")
    text = page(tmp_path, SweepRow(job, "<i>a</i>", "<b>no</b>", "", (None,)))
    assert not re.search("<script>alert|<b>no|<i>a", text)


def test_the_table_comes_before_the_charts_and_has_the_differences(tmp_path: Path) -> None:
    rows = [
        SweepRow(Job(0, (), "done"), "whole method", "", "40", (SweepCell(MEAN),)),
        SweepRow(Job(1, (), "done"), "no gists", "said", "40", (SweepCell(MEAN, GAP),)),
    ]
    text = page(tmp_path, *rows)
    assert text.index('id="jobs"') < text.index('id="charts"') < text.index('id="commands"')
    assert "<title>Sweep over ablation</title>" in text
    assert '31.7 <span class="star">-2.5*</span>' in text
    assert "<small>[-4.0, -1.0]</small>" in text
    assert "a mean of 40 questions" in text


def test_what_the_jobs_took_is_on_the_page_and_in_a_file(tmp_path: Path) -> None:
    recall = Cost("recall", "ms", "question", Percentiles(1.0, 2.0, 3.5, 4, 7.0))
    took = RunCosts((recall,))
    row = SweepRow(Job(0, (), "done"), "first", "", "40", (None,), tmp_path, took)
    text = page(tmp_path, row)
    assert '<th class="number">recall (ms)</th>' in text
    assert '<td class="number" data-heading="recall (ms)">1 / 2 / 3.5</td>' in text
    (file,) = tmp_path.glob("sweeps/*/costs.csv")
    assert file.read_text("utf-8").splitlines()[1] == ",first,recall,ms,question,1,2,3.5,4,7"


def test_a_sweep_without_scores_has_no_file_of_costs(tmp_path: Path) -> None:
    assert 'id="costs"' not in page(tmp_path, SweepRow(Job(0, (), "failed"), "a", "", "", (None,)))
    assert not list(tmp_path.glob("sweeps/*/costs.csv"))


def test_a_run_with_a_report_is_linked_from_the_sweep(tmp_path: Path) -> None:
    run, bare = tmp_path / "runs" / "a b#", tmp_path / "runs" / "c"
    run.mkdir(parents=True)
    (run / "report.html").write_text("a report")
    rows = [
        SweepRow(Job(0, (), "done"), "first", "", "40", (None,), run),
        SweepRow(Job(1, (), "done"), "second", "", "40", (None,), bare),
    ]
    (link,) = re.findall(r'<a href="([^#"][^"]*)">', page(tmp_path, *rows))
    assert link == "../../runs/a%20b%23/report.html"


def test_the_policy_of_the_page_allows_its_style_sheets(tmp_path: Path) -> None:
    text = page(tmp_path, SweepRow(Job(0, (), "done"), "a", "", "40", (None,)))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src &#39;sha256-{digest}&#39;".replace("&#39;", "'") in text.replace(
        "&#39;", "'"
    )
    assert "table.jobs" in style[1]
