"""The jobs of a sweep as files of its folder: what each was, how it ended, where its run lies.

A job writes its own file, wherever a launcher runs it; what began and did not end was killed.
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
    """One job: `folder` is that of its run, `error` what it ended with."""

    number: int
    overrides: tuple[str, ...]
    state: Literal["begun", "done", "failed"]
    folder: str = ""
    error: str = ""

    @property
    def command(self) -> str:
        """Return what runs this job alone."""
        return shlex.join(["remem", "run", *self.overrides])


def sweep_name(arguments: Sequence[str]) -> str:
    """Name a sweep by what was asked for, so that the same command is the same sweep."""
    return hashlib.sha256(json.dumps(sorted(arguments)).encode()).hexdigest()[:12]


def recorded(job: Job, sweep: Path, work: Callable[[], Path]) -> None:
    """Run a job and write down how it went; what it raises, it raises."""
    _write(job, sweep)
    try:
        folder = work()
    except BaseException as error:
        _write(replace(job, state="failed", error=f"{type(error).__name__}: {error}"), sweep)
        raise
    _write(replace(job, state="done", folder=str(folder)), sweep)


def read_jobs(sweep: Path) -> list[Job]:
    """Return the jobs of a sweep, by number."""
    adapter = TypeAdapter(Job)
    jobs = [adapter.validate_json(path.read_bytes()) for path in sweep.glob(f"*{SUFFIX}")]
    return sorted(jobs, key=lambda job: job.number)


def forget_jobs(sweep: Path) -> None:
    """Remove what an earlier start of the sweep wrote: the runs themselves stay."""
    for path in sweep.glob(f"*{SUFFIX}"):
        path.unlink()


def _write(job: Job, sweep: Path) -> None:
    sweep.mkdir(parents=True, exist_ok=True)
    write_whole(sweep / f"{job.number}{SUFFIX}", TypeAdapter(Job).dump_json(job) + b"\n")
