"""The page of a sweep: its table first, then a chart for each score."""

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

from remem.metrics.intervals import Percentiles
from remem.reports.html.charts import MOST_LINES
from remem.reports.html.sweep_page import sweep_charts, write_sweep_page
from remem.results.costs import Cost, RunCosts
from remem.run.sweep_jobs import Job
from remem.tables.sweep_table import SweepBlock, SweepCell, SweepRow, SweepTable
from remem.tables.table import Value

MEAN = Value(31.7, 30.0, 33.0, 40, 10, percent=True)
GAP = Value(-2.5, -4.0, -1.0, 40, 10, percent=True, p_value=0.01)


def page(tmp_path: Path, *rows: SweepRow) -> str:
    sweep = tmp_path / "sweeps" / "ablation_locomo-12345678"
    block = SweepBlock("", ("F1",), rows, ("a note",), "No winner in F1 <b>")
    table = SweepTable("Sweep over ablation", (block,))
    unfinished = [
        Job(row.job.number, row.job.overrides, "failed", error=row.job.error) for row in rows
    ]
    return write_sweep_page(sweep, table, unfinished).read_text("utf-8")


def test_an_override_and_an_error_are_shown_as_text(tmp_path: Path) -> None:
    job = Job(0, ("a=<script>alert(1)</script>",), "failed", error="<b>no</b>")
    text = page(tmp_path, SweepRow(job, "<i>a</i>", "<b>no</b>", "", (None,)))
    assert not re.search("<script>alert|<b>no|<i>a", text)


def test_the_winner_comes_first_then_charts_and_the_table_of_differences(tmp_path: Path) -> None:
    rows = [
        SweepRow(Job(0, (), "done"), "whole method", "", "40", (SweepCell(MEAN),)),
        SweepRow(Job(1, (), "done"), "no gists", "said", "40", (SweepCell(MEAN, GAP),)),
    ]
    text = page(tmp_path, *rows)
    winner = text.index("No winner in F1 &lt;b&gt;")
    assert (
        winner < text.index('id="charts"') < text.index('id="jobs"') < text.index('id="commands"')
    )
    assert "<title>Sweep over ablation</title>" in text
    assert '31.7 <span class="wrong">-2.5*</span>' in text
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


def test_a_job_leads_to_the_report_of_its_run_and_one_without_a_run_nowhere(tmp_path: Path) -> None:
    rows = [
        SweepRow(Job(0, (), "done"), "first", "", "40", (None,), tmp_path / "runs" / "a b#"),
        SweepRow(Job(1, (), "failed"), "second", "", "", (None,)),
    ]
    (link,) = re.findall(r'<a class="cell" href="([^"]*)"', page(tmp_path, *rows))
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


def block(*jobs: tuple[str, ...]) -> SweepBlock:
    """Return a block with two scores of each job; the second score is a count."""
    cells = (SweepCell(MEAN), SweepCell(Value(3.0, 2.0, 4.0, 40, None, percent=False)))
    rows = tuple(
        SweepRow(Job(at, overrides, "done"), ", ".join(overrides), "", "40", cells)
        for at, overrides in enumerate(jobs)
    )
    return SweepBlock("locomo", ("F1", "steps"), rows, ())


def test_a_swept_number_is_the_axis_and_the_other_choices_are_lines() -> None:
    grid = [(f"method={m}", f"a.k={k}", "same=1") for m in ("x", "y") for k in ("10", "5")]
    f1, steps = sweep_charts(block(*grid))
    assert (f1.title, f1.kind, f1.across, f1.unit) == ("F1, locomo", "curve", "k", "per cent")
    assert f1.lines == ("method=x", "method=y")
    assert [mark.tip.split(":")[0] for mark in f1.marks[:2]] == [
        "method=x, a.k=5, same=1",
        "method=x, a.k=10, same=1",
    ]
    assert (steps.title, steps.unit) == ("steps, locomo", "")


def test_without_a_number_or_with_too_many_lines_each_job_is_a_row() -> None:
    names = [("method=x",), ("method=y",)]
    not_numbers = [("k=1",), ("k=nan",), ("k=null",)]
    many = [(f"method=m{at}", f"k={k}") for at in range(MOST_LINES + 1) for k in (1, 2)]
    for jobs in (names, not_numbers, many, [("method=x",)]):
        chart = next(sweep_charts(block(*jobs)))
        assert chart.kind == "rows"
        assert [tick.text for tick in chart.y_ticks] == [", ".join(job) for job in jobs]


def test_a_job_that_is_not_done_or_has_no_score_is_not_drawn() -> None:
    one, two = block(("k=1",), ("k=2",)).rows
    unfinished = replace(two, job=replace(two.job, state="failed"))
    (chart,) = sweep_charts(SweepBlock("", ("F1",), (one, unfinished), ()))
    assert len(chart.marks) == 1
    assert not list(sweep_charts(SweepBlock("", ("F1",), (replace(one, cells=(None,)),), ())))
