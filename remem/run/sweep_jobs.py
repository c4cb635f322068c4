"""The jobs of a sweep, one file each: its overrides, its outcome, and the folder of its run.

Each job writes its own file, wherever it runs; a job that started but did not end was killed.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from remem.files.whole_file import write_whole

SUFFIX = ".job.json"
KILLED = "started but did not finish"
STOPPED = "interrupted"
FAILED = 1
"""The exit code for a job that could not say how it ended."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a sweep.

    `folder` is the folder of its run; `error` and `exit_code` are what the job would end with if it
    ran alone. `method` is the label of its method. `options` are the options of the whole command,
    which every job needs, such as --config-dir.
    """

    number: int
    overrides: tuple[str, ...]
    state: Literal["begun", "done", "failed"]
    folder: str = ""
    error: str = ""
    exit_code: int = 0
    method: str = ""
    dataset: str = ""
    options: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """Return the command that runs only this job."""
        return shlex.join(["remem", "run", *self.options, *self.overrides])

    @property
    def outcome(self) -> str:
        """Return "done", or why the job is not done."""
        return KILLED if self.state == "begun" else self.error or self.state


@dataclass(frozen=True, slots=True)
class Failure:
    """The exit code and the message of an error."""

    exit_code: int
    message: str


def recorded(
    job: Job, sweep: Path, work: Callable[[], Path], failure: Callable[[Exception], Failure]
) -> Job:
    """Run a job, write its outcome to its file, and return it; an interrupt stops the sweep.

    Args:
        job: The job.
        sweep: The folder of the sweep.
        work: Runs the job and returns the folder of its run.
        failure: Returns the exit code and the message of an error.
    """
    _write(job, sweep)
    try:
        ended = replace(job, state="done", folder=str(work()))
    except Exception as error:  # noqa: BLE001  the sweep goes on with other jobs
        found = failure(error)
        ended = replace(job, state="failed", error=found.message, exit_code=found.exit_code)
    except BaseException:
        _write(replace(job, state="failed", error=STOPPED, exit_code=FAILED), sweep)
        raise
    _write(ended, sweep)
    return ended


def first_failure(jobs: Sequence[Job]) -> int:
    """Return the exit code of the first job that is not done; 0 if all are done."""
    left = (job for job in jobs if job.state != "done")
    return next((job.exit_code or FAILED for job in left), 0)


def read_jobs(sweep: Path) -> list[Job]:
    """Return the jobs of a sweep, sorted by number."""
    adapter = TypeAdapter(Job)
    jobs = [adapter.validate_json(path.read_bytes()) for path in sweep.glob(f"*{SUFFIX}")]
    return sorted(jobs, key=lambda job: job.number)


def forget_jobs(sweep: Path) -> None:
    """Remove the job files of an earlier start of the sweep; the runs are kept."""
    for path in sweep.glob(f"*{SUFFIX}"):
        path.unlink()


def _write(job: Job, sweep: Path) -> None:
    sweep.mkdir(parents=True, exist_ok=True)
    write_whole(sweep / f"{job.number}{SUFFIX}", TypeAdapter(Job).dump_json(job) + b"\n")
