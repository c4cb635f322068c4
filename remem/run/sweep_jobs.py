"""Jobs of a sweep: the file of each job has its overrides, its outcome and its run folder.

Titles and labels name only the settings that differ between the jobs.

Jobs can run on different machines, because each job writes only its own file. If a job's file says
that the job started but not that it ended, the job was killed.
"""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from remem.config.swept import bare_key
from remem.errors import Ending
from remem.files.adapters import parsed
from remem.files.disk import write_whole
from remem.files.opened import read_file

METHOD, ABLATION, DATASET = "method", "ablation", "dataset"
MULTIRUN = ("-m", "--multirun")
LONGEST_KEYS, LONGEST_DATASET, LONGEST_VALUE = 40, 30, 40
DIGITS = 8
"""Digits of the checksum in a sweep's name."""
SUFFIX = ".job.json"
KILLED = "started but did not finish"
STOPPED = "interrupted"
FAILED = 1
"""The exit code for a job that could not say how it ended."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a sweep.

    `folder` is the folder of its run. `error` and `exit_code` are the same as if the job were run
    separately. `method` is the label of its method. `options` are the options of the sweep command
    that apply to every job, such as --config-dir.
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


def recorded(
    job: Job, sweep: Path, work: Callable[[], Path], failure: Callable[[Exception], Ending]
) -> Job:
    """Run a job, write its outcome to its file, and return the job with this outcome.

    An interrupt stops the sweep.

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
        failed = failure(error)
        ended = replace(job, state="failed", error=failed.message, exit_code=failed.code)
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
    jobs = [parsed(Job, read_file(path)) for path in sweep.glob(f"*{SUFFIX}")]
    return sorted(jobs, key=lambda job: job.number)


def is_sweep(folder: Path) -> bool:
    """Return whether a folder has the jobs of a sweep."""
    return any(folder.glob(f"*{SUFFIX}"))


def forget_jobs(sweep: Path) -> None:
    """Delete the job files of an earlier attempt at the sweep, but keep its runs."""
    for path in sweep.glob(f"*{SUFFIX}"):
        path.unlink()


def _write(job: Job, sweep: Path) -> None:
    sweep.mkdir(parents=True, exist_ok=True)
    write_whole(sweep / f"{job.number}{SUFFIX}", TypeAdapter(Job).dump_json(job) + b"\n")


def sweep_name(arguments: Sequence[str], keys: Sequence[str], dataset: str) -> str:
    """Return the folder name of a sweep.

    The same command always gets the same name, so that repeating a command resumes its sweep.

    Args:
        arguments: The arguments of the command, in any order.
        keys: The keys that the command sweeps.
        dataset: The dataset; ignored if the dataset is one of the keys.
    """
    overrides = sorted(argument for argument in arguments if argument not in MULTIRUN)
    digits = hashlib.sha256(json.dumps(overrides).encode()).hexdigest()[:DIGITS]
    named = _in_a_path("-".join(sorted(short_keys(keys).values())) or "one-job", LONGEST_KEYS)
    on_dataset = [] if DATASET in keys else [_in_a_path(dataset, LONGEST_DATASET)]
    return "_".join((named, "-".join((*on_dataset, digits))))


def sweep_title(jobs: Sequence[Job]) -> str:
    """Return the heading of a sweep.

    >>> sweep_title([Job(0, ("a.top_k=1",), "done", dataset="locomo"),
    ...              Job(1, ("a.top_k=2",), "done", dataset="locomo")])
    'Sweep over top_k on locomo'
    """
    names = list(short_keys(varied_keys(jobs)).values())
    *most, last = names or [""]
    over = (
        f"over {', '.join(most)} and {last}" if most else f"over {last}" if last else "of one job"
    )
    datasets = {job.dataset for job in jobs if job.dataset}
    return f"Sweep {over} on {datasets.pop()}" if len(datasets) == 1 else f"Sweep {over}"


def choices(job: Job) -> dict[str, str]:
    """Return the overrides of a job as a dict from key to value."""
    parts = (override.partition("=") for override in job.overrides)
    return {bare_key(key): value for key, _, value in parts}


def varied_keys(jobs: Sequence[Job]) -> list[str]:
    """Return the keys whose values differ between the jobs, in the order of the overrides."""
    chosen = [choices(job) for job in jobs]
    keys = dict.fromkeys(key for own in chosen for key in own)
    return [key for key in keys if len({own.get(key) for own in chosen}) > 1]


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """Return a dict from each key to its shortest unique ending.

    >>> short_keys(["method.build.top_k", "dataset.build.seed", "run.seed"])
    {'method.build.top_k': 'top_k', 'dataset.build.seed': 'build.seed', 'run.seed': 'run.seed'}
    """
    parts = {key: key.split(".") for key in keys}
    most = max((len(words) for words in parts.values()), default=0)
    short: dict[str, str] = {}
    for count in range(1, most + 1):
        endings = {key: ".".join(words[-count:]) for key, words in parts.items()}
        shared = Counter(endings.values())
        for key, ending in endings.items():
            if shared[ending] == 1:
                short.setdefault(key, ending)
    return {key: short.get(key, key) for key in keys}


def job_labels(jobs: Sequence[Job], keys: Sequence[str]) -> list[str]:
    """Return a label for each job.

    If several jobs would get the same label, their labels list all keys and values instead.

    Args:
        jobs: The jobs.
        keys: The keys whose values differ between the jobs.
    """
    labels = [job_label(job, keys) for job in jobs]
    shared = Counter(labels)
    return [
        label if shared[label] == 1 else _keys_and_values(choices(job), keys) or label
        for job, label in zip(jobs, labels, strict=True)
    ]


def job_label(job: Job, keys: Sequence[str]) -> str:
    """Return the label of a job.

    >>> job = Job(0, ("method=remem_i", "ablation=no_gists"), "done", method="REMem-I")
    >>> job_label(job, ["method", "ablation"])
    'REMem-I, no gists'
    """
    chosen = choices(job)
    short = short_keys(keys)
    parts = [_part(key, chosen[key], short[key], job) for key in keys if key in chosen]
    return ", ".join(parts) or job.method or f"job {job.number + 1}"


def _part(key: str, value: str, name: str, job: Job) -> str:
    if key == METHOD and job.method:
        return job.method
    if key == ABLATION:
        return "whole method" if value == "none" else value.replace("_", " ")
    return value if key == DATASET else f"{name}={value[:LONGEST_VALUE]}"


def _keys_and_values(chosen: Mapping[str, str], keys: Sequence[str]) -> str:
    return ", ".join(f"{key}={chosen[key]}" for key in keys if key in chosen)


def _in_a_path(text: str, longest: int) -> str:
    """Make a text safe for use in a folder name: keep only ASCII letters, digits and hyphens.

    >>> _in_a_path("../top_k (of it)", 8)
    'top-k-of'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:longest].strip("-") or "x"
