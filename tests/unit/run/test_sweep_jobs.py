"""A sweep is written down job by job: what is done, what failed, what was killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem.reports.terminal.sweep_report import ending
from remem.run.sweep_jobs import Failure, Job, first_failure, forget_jobs, read_jobs, recorded


def job(number: int) -> Job:
    return Job(number, ("method=remem_s", f"method.build.top_k={number}"), "begun")


def told(error: Exception) -> Failure:
    return Failure(4, str(error))


def test_a_job_says_where_its_run_is_or_how_it_ended_and_does_not_raise(tmp_path: Path) -> None:
    def fail() -> Path:
        raise ValueError("no such thing")

    assert recorded(job(0), tmp_path, lambda: tmp_path / "run", told).state == "done"
    assert recorded(job(1), tmp_path, fail, told).exit_code == 4
    done, failed = read_jobs(tmp_path)
    assert (done.state, done.folder, done.exit_code) == ("done", str(tmp_path / "run"), 0)
    assert (failed.state, failed.error, failed.exit_code) == ("failed", "no such thing", 4)
    assert list(ending([done, failed])) == [
        "1 of 2 jobs are done",
        "Failed:",
        "remem run method=remem_s method.build.top_k=1\n  no such thing",
    ]


def test_an_interrupt_stops_the_sweep_and_is_written_down(tmp_path: Path) -> None:
    def interrupted() -> Path:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorded(job(0), tmp_path, interrupted, told)
    (stopped,) = read_jobs(tmp_path)
    assert (stopped.state, stopped.outcome) == ("failed", "interrupted")


def test_a_job_that_is_killed_has_begun_and_not_ended(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from remem.run.sweep_jobs import *;"
        "recorded(Job(0, ('a=1',), 'begun'), Path(sys.argv[1]),"
        " lambda: os.kill(os.getpid(), signal.SIGKILL), lambda error: Failure(1, ''))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert done.returncode == -signal.SIGKILL
    (killed,) = read_jobs(tmp_path)
    assert list(ending([killed]))[1:] == [
        "Failed:",
        "remem run a=1\n  started but did not finish",
    ]
    assert first_failure([killed]) == 1


def test_the_first_failure_decides_the_exit_code(tmp_path: Path) -> None:
    done = Job(0, (), "done")
    usage, budget = (Job(at, (), "failed", exit_code=code) for at, code in ((1, 2), (2, 4)))
    assert first_failure([done]) == 0
    assert first_failure([done, usage, budget]) == 2


def test_jobs_that_never_started_are_counted() -> None:
    done = Job(0, ("a=1",), "done")
    assert list(ending([done], 3)) == [
        "1 of 3 jobs are done",
        "2 jobs were not started; run the same command",
    ]


def test_the_command_of_a_job_has_the_folders_of_the_sweep() -> None:
    own = Job(0, ("method=mine",), "done", options=("--config-dir", "my conf"))
    assert own.command == "remem run --config-dir 'my conf' method=mine"


def test_jobs_of_an_earlier_start_are_forgotten(tmp_path: Path) -> None:
    recorded(job(7), tmp_path, lambda: tmp_path, told)
    forget_jobs(tmp_path)
    assert read_jobs(tmp_path) == []
