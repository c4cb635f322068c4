"""The jobs of a sweep, one file each: its overrides, its outcome, and the folder of its run.

Each job writes its own file, wherever it runs; a job that started but did not end was killed.
"""

import hashlib
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from remem.files.whole_file import write_whole

SUFFIX = ".job.json"


@dataclass(frozen=True, slots=True)
class Job:
    """One job: `folder` is the folder of its run, `error` the error it ended with."""

    number: int
    overrides: tuple[str, ...]
    state: Literal["begun", "done", "failed"]
    folder: str = ""
    error: str = ""

    @property
    def command(self) -> str:
        """Return the command that runs only this job."""
        return shlex.join(["remem", "run", *self.overrides])


def sweep_name(arguments: Sequence[str]) -> str:
    """Name a sweep after its arguments, so that the same command resumes the same sweep."""
    return hashlib.sha256(json.dumps(sorted(arguments)).encode()).hexdigest()[:12]


def recorded(job: Job, sweep: Path, work: Callable[[], Path]) -> None:
    """Run a job and write its outcome to its file; re-raise its exceptions."""
    _write(job, sweep)
    try:
        folder = work()
    except BaseException as error:
        _write(replace(job, state="failed", error=f"{type(error).__name__}: {error}"), sweep)
        raise
    _write(replace(job, state="done", folder=str(folder)), sweep)


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
