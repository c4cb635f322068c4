"""A sweep is written down job by job: what is done, what failed, what was killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem.reports.terminal.sweep_report import ending, write_report
from remem.run.sweep_jobs import Job, forget_jobs, read_jobs, recorded, sweep_name

REMEM = Path(sys.executable).parent / "remem"
SMALL = ("run.histories=1", "run.limit=3", "convention.score.resamples=99")


def job(number: int) -> Job:
    return Job(number, ("method=remem_s", f"method.build.top_k={number}"), "begun")


def test_a_job_says_where_its_run_lies_or_what_it_ended_with(tmp_path: Path) -> None:
    def fail() -> Path:
        raise ValueError("no such thing")

    recorded(job(0), tmp_path, lambda: tmp_path / "run")
    with pytest.raises(ValueError, match="no such thing"):
        recorded(job(1), tmp_path, fail)
    done, failed = read_jobs(tmp_path)
    assert (done.state, done.folder) == ("done", str(tmp_path / "run"))
    assert (failed.state, failed.error) == ("failed", "ValueError: no such thing")
    assert list(ending([done, failed])) == [
        "1 of 2 jobs are done",
        "remem run method=remem_s method.build.top_k=1\n  ValueError: no such thing",
    ]


def test_a_job_that_is_killed_has_begun_and_not_ended(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from remem.run.sweep_jobs import *;"
        "recorded(Job(0, ('a=1',), 'begun'), Path(sys.argv[1]),"
        " lambda: os.kill(os.getpid(), signal.SIGKILL))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(ending(read_jobs(tmp_path)))[1] == "remem run a=1\n  started but did not finish"


def test_a_sweep_is_named_by_what_was_asked_for_in_any_order() -> None:
    assert sweep_name(["-m", "a=1,2", "b=3"]) == sweep_name(["b=3", "-m", "a=1,2"])
    assert sweep_name(["-m", "a=1,2"]) != sweep_name(["-m", "a=1,3"])


def test_jobs_of_an_earlier_start_are_forgotten(tmp_path: Path) -> None:
    recorded(job(7), tmp_path, lambda: tmp_path)
    forget_jobs(tmp_path)
    assert read_jobs(tmp_path) == []


def test_a_page_shows_an_override_as_text(tmp_path: Path) -> None:
    hostile = Job(0, ("a=<script>alert(1)</script>",), "failed", error="<b>no</b>")
    page = write_report(tmp_path, [hostile]).read_text()
    assert "<script>alert" not in page
    assert "<b>no</b>" not in page


def test_a_sweep_goes_on_after_a_failure_tells_all_of_them_and_is_drawn(tmp_path: Path) -> None:
    command = [
        REMEM, "run", "-m", "method=remem_s,bm25_messages", "method.build.top_k=3,0,5",
        f"paths.results={tmp_path}", *SMALL,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "4 of 6 jobs are done" in done.stderr
    for method in ("remem_s", "bm25_messages"):
        assert f"remem run method={method} method.build.top_k=0" in done.stderr
    (page,) = tmp_path.glob("sweeps/*/report.html")
    drawn = page.read_text()
    assert drawn.count('<circle class="mean"') == 4 * 4  # four jobs, the dataset's four scores
    assert "F1 · method=remem_s" in drawn

    before = {path: path.read_bytes() for path in tmp_path.glob("runs/**/records.jsonl")}
    subprocess.run(command, capture_output=True, check=False)
    assert {path: path.read_bytes() for path in before} == before  # finished jobs ask nothing
