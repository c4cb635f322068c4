"""Run the jobs of a sweep: each writes its outcome to its file, and a failure stops no other job.

Hydra never sees the error of a job, because it would print a line of its own and report only the
first. The jobs may run in other processes, so the command reads all outcomes at its end.
"""

import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from omegaconf import DictConfig

from remem.cli.spending_limit import run_limit, say_limit
from remem.config.admission import check_composed
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.secret_values import check_secrets
from remem.config.swept import folder_options, has_launcher, swept
from remem.errors import ERROR
from remem.reports.terminal.console import safe_console
from remem.reports.terminal.progress import ProgressView
from remem.run.progress import ShowProgress
from remem.run.sweep_jobs import (
    DATASET,
    Failure,
    Job,
    first_failure,
    forget_jobs,
    job_label,
    read_jobs,
    recorded,
    sweep_name,
)

RunOne = Callable[[RunConfig, str, ShowProgress, str], Path]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep that is being run.

    `jobs` is the number of jobs, None if it is unknown. `view` shows the jobs that run one after
    the other in this process; None with a launcher, whose jobs each have a view of their own.
    """

    folder: Path
    keys: tuple[str, ...]
    jobs: int | None
    options: tuple[str, ...]
    strangers: tuple[Path, ...]
    view: ProgressView | None
    limits: set[str] = field(default_factory=set)
    """What each job may spend, as far as it was printed."""

    @classmethod
    def of(cls, arguments: Sequence[str], strangers: Sequence[Path]) -> "Sweep":
        """Return the sweep that a command line describes, without the jobs of an earlier start."""
        found = swept(arguments)
        folder = sweep_folder(arguments, found.keys)
        forget_jobs(folder)
        console = safe_console(stderr=True)
        apart = has_launcher(arguments)
        view = None if apart else ProgressView(console, found.jobs, whole="of the sweep")
        options = tuple(folder_options(arguments))
        return cls(folder, found.keys, found.jobs, options, tuple(strangers), view)

    def run_job(self, composed: DictConfig, run_one: RunOne) -> None:
        """Run the job that Hydra has composed, and say why if it fails."""
        from hydra.core.hydra_config import HydraConfig

        hydra_config = HydraConfig.get()
        overrides = tuple(hydra_config.overrides.task)
        check_secrets("the job", overrides, os.environ)
        config = self._config(composed, overrides)
        job = Job(hydra_config.job.num, overrides, "begun", options=self.options)
        if isinstance(config, RunConfig):
            job = replace(job, method=config.label, dataset=config.dataset)

        def work() -> Path:
            if isinstance(config, Exception):
                raise config
            self._say_limit(config)
            return run_one(config, self.folder.name, self._shown(job), self._numbered(job))

        ended = recorded(job, self.folder, work, _failure)
        if ended.state == "failed":
            console = safe_console(stderr=True, soft_wrap=True)
            said = f"{self._numbered(job)} failed: {ended.error}"
            console.print(said, markup=False, highlight=False)

    def end(self) -> int:
        """Show the table of all jobs and the failures, write the page, and return the exit code."""
        from remem.cli.table_output import tell_costs
        from remem.reports.html.sweep_page import write_sweep_page
        from remem.reports.terminal.sweep_report import ending, show_sweep
        from remem.reports.terminal.table_console import table_console
        from remem.tables.sweep_table import sweep_table

        jobs = read_jobs(self.folder)
        if not jobs:
            return 0
        table = sweep_table(jobs)
        table_console().print(show_sweep(table))
        tell_costs([block.costs for block in table.blocks])
        console = safe_console(stderr=True, soft_wrap=True)
        page = write_sweep_page(self.folder, table, jobs)
        console.print(f"Sweep report: {page}", markup=False, highlight=False)
        for line in ending(jobs, self.jobs):
            console.print(line, markup=False, highlight=False)
        return first_failure(jobs)

    def _config(self, composed: DictConfig, overrides: Sequence[str]) -> RunConfig | Exception:
        """Return the configuration of a job, or the error that will end the job."""
        try:
            check_composed(composed, overrides, self.strangers)
            return run_config(composed)
        except Exception as error:  # noqa: BLE001  it is recorded with the job
            return error

    def _shown(self, job: Job) -> ShowProgress:
        view = self.view
        if view is None:
            view = ProgressView(safe_console(stderr=True), self.jobs, alone=False)
        label = job_label(job, self.keys)
        return lambda _, price: view(label, price, job.number + 1)

    def _say_limit(self, config: RunConfig) -> None:
        limit = run_limit(config, start="each job")
        if limit not in self.limits:
            say_limit(limit)
        self.limits.add(limit or "")

    def _numbered(self, job: Job) -> str:
        of = "" if self.jobs is None else f"/{self.jobs}"
        return f"[{job.number + 1}{of}] {job_label(job, self.keys)}"


def sweep_folder(arguments: Sequence[str], keys: Sequence[str]) -> Path:
    """Return the folder of a sweep, named by its arguments."""
    paths = [argument for argument in arguments if argument.startswith("paths.results=")]
    default = run_config(compose_config(paths))
    chosen = [argument for argument in arguments if argument.startswith(f"{DATASET}=")]
    dataset = chosen[-1].partition("=")[2] if chosen else default.dataset
    return default.results / "sweeps" / sweep_name(arguments, keys, dataset)


def _failure(error: Exception) -> Failure:
    """Return how the command would end with this error; print the place of a bug."""
    from remem.cli.error_messages import ending

    ended = ending(error)
    if ended is not None:
        return Failure(ended.code, ended.message)
    console = safe_console(stderr=True, soft_wrap=True)
    console.print("".join(traceback.format_exception(error)), markup=False, highlight=False)
    return Failure(ERROR, f"{type(error).__name__}: {error}")
