"""The Hydra application of `remem run`: one run, or the jobs of a sweep with -m.

If a job of a sweep fails, the other jobs still run. Each job writes its outcome, which may be an
error, to a file, because Hydra would report only the first error. Jobs may run in other processes,
so the command reads the outcomes of all jobs from these files at the end.
"""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from remem.cli.run_output import run_limit, say_limit, say_run, show_job, show_run
from remem.config.admission import check_composed
from remem.config.composed_size import check_interpolations
from remem.config.conf_files import conf_folder
from remem.config.config_dir import grants, hydra_arguments, strangers_folders
from remem.config.error_messages import ending
from remem.config.override_text import options_first, quoted
from remem.config.retirement import read_retirements, retirement_warning
from remem.config.run_config import RunConfig, compose_config, compose_given, run_config
from remem.config.swept import folder_options, has_launcher, swept
from remem.errors import ERROR, Ending, QuestionsInErrorError, UsageError
from remem.files.secret_values import check_secrets
from remem.reports.terminal.console import safe_console, say
from remem.reports.terminal.progress import ProgressView
from remem.results.costs import stage_prices
from remem.results.run import Run
from remem.results.run_notes import ASK_AGAIN, describe_failures
from remem.run.checkpoint_store import CHECKPOINTS
from remem.run.experiment import run_experiment
from remem.run.health import check_choices
from remem.run.manifest import note_own_process
from remem.run.progress import ShowProgress
from remem.run.store import RECORDS
from remem.run.sweep_jobs import (
    DATASET,
    MULTIRUN,
    Job,
    first_failure,
    forget_jobs,
    job_label,
    read_jobs,
    recorded,
    sweep_name,
)

if TYPE_CHECKING:
    from remem.reports.wandb.live import LiveRun

SWEEP_SIGNS = frozenset(",(")
"""Characters of an override that lists several values."""


def run_one(
    config: RunConfig,
    sweep: str = "",
    show_progress: ShowProgress | None = None,
    label: str = "",
    *,
    json: bool = False,
) -> Path:
    """Run one configuration, score it, and print and return its folder.

    Args:
        config: What to run.
        sweep: The name of the sweep that this job belongs to.
        show_progress: Shows the progress; None creates a view for only this run.
        label: The label of the job in a sweep. A run with a label prints only one line.
        json: Whether to print the result as JSON.
    """
    check_choices(config)
    model = config.settings.llm.identity.model or ""
    warning = retirement_warning(model, read_retirements(), date.today())
    if warning:
        say(f"remem: {warning}", err=True)
    if not label:  # a sweep prints it once for its jobs
        say_limit(run_limit(config))
    show_progress = show_progress or ProgressView(safe_console(stderr=True), 1)
    live = _live_run(config, sweep)
    shown = show_progress(config.label, stage_prices(config)["read"])
    with shown as on_progress, live or nullcontext():
        result = run_experiment(
            config,
            benchmark=live.benchmark if live else None,
            on_progress=live.reporting_with(on_progress) if live else on_progress,
        )
    run = Run.of(config, result)
    scores = run.write_scores()
    if label:
        show_job(label, run)
    else:
        (say_run if json else show_run)(run, scores)
    _mirror(config, run.folder, sweep, live)
    if failures := (*run.failures, *run.earlier.failures):
        log = CHECKPOINTS if run.earlier.failures else RECORDS
        raise QuestionsInErrorError(
            describe_failures(
                failures,
                run.earlier.answers or len(run.records),
                "question",
                f"{ASK_AGAIN} All errors: {run.folder / log}",
            )
        )
    return run.folder


def _live_run(config: RunConfig, sweep: str) -> "LiveRun | None":
    """Return the W&B run that is updated while answering, if W&B is configured."""
    if config.settings.logger.name == "none":
        return None
    from remem.reports.wandb.mirror import live_run

    return live_run(config, sweep)


def _mirror(config: RunConfig, folder: Path, sweep: str, live: "LiveRun | None") -> None:
    """Copy the run to W&B if W&B is configured."""
    if config.settings.logger.name != "none":
        from remem.reports.wandb.mirror import mirror

        mirror(config, [folder], sweep, live=live)


def main(*, json: bool = False) -> None:
    """Run the job or jobs that the command line names.

    Args:
        json: Whether to print the result of one run as JSON.
    """
    sys.argv[1:] = options_first(sys.argv[1:])
    check_secrets("the command line", sys.argv[1:], os.environ)
    check_interpolations(sys.argv[1:], "the command line")
    if warning := grants(sys.argv[1:]):
        say(f"remem: {warning}", err=True)
    arguments = sys.argv[1:]
    if json and set(MULTIRUN) & set(arguments):
        raise UsageError(
            "--json works only for a single run; leave it out, and read the results in "
            "results/sweeps"
        )
    strangers = strangers_folders(arguments)
    sys.argv[1:] = hydra_arguments(arguments)
    if _is_plain(sys.argv[1:]):
        config = run_config(compose_given(sys.argv[1:], strangers))
        note_own_process(run_one(config, json=json))
        return
    _run_application(arguments, strangers, json=json)


def _run_application(arguments: Sequence[str], strangers: Sequence[Path], *, json: bool) -> None:
    """Let Hydra, as an application, compose and start the job, or the jobs of a sweep."""
    if set(MULTIRUN) & set(arguments):
        _run_sweep(arguments, strangers)
        return
    errors: list[Exception] = []

    def job(config: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        try:
            check_composed(config, HydraConfig.get().overrides.task, strangers)
            note_own_process(run_one(run_config(config), json=json))
        except Exception as error:  # noqa: BLE001  Hydra would print its own line
            errors.append(error)

    _start_hydra(job)
    if errors:
        raise errors[0]


def _run_sweep(arguments: Sequence[str], strangers: Sequence[Path]) -> None:
    sweep = Sweep.of(arguments, strangers)
    sys.argv.append(f"hydra.sweep.dir={quoted(str(sweep.folder))}")
    exit_code = 0
    try:
        _start_hydra(sweep.run_job)
    finally:
        exit_code = sweep.end()
    if exit_code:
        sys.exit(exit_code)


def _start_hydra(job: Callable[[DictConfig], None]) -> None:
    """Run a Hydra application, which reads its arguments from sys.argv."""
    import hydra

    from remem.config.search_path import prepare_search

    prepare_search()
    hydra.main(version_base="1.3", config_path=str(conf_folder()), config_name="config")(job)()


def _is_plain(arguments: Sequence[str]) -> bool:
    """Return whether the arguments name one job and change no settings of Hydra itself.

    Hydra as an application composes the configuration twice; composing it directly does so once. A
    possible sweep is left to the application, which explains how to quote it in a shell.
    """
    return not any(
        change.lstrip("+~").startswith(("-", "hydra")) or SWEEP_SIGNS & set(change)
        for change in arguments
    )


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep that is being run.

    `jobs` is the number of jobs; None if it is unknown. `view` shows the progress of jobs that run
    one after the other in this process. With a launcher, `view` is None, and each job has its own
    view.
    """

    folder: Path
    keys: tuple[str, ...]
    jobs: int | None
    options: tuple[str, ...]
    strangers: tuple[Path, ...]
    view: ProgressView | None
    limits: set[str] = field(default_factory=set)
    """The limits of the jobs that were already printed."""

    @classmethod
    def of(cls, arguments: Sequence[str], strangers: Sequence[Path]) -> "Sweep":
        """Return the sweep of a command line; delete the job files of its previous execution."""
        varied = swept(arguments)
        folder = sweep_folder(arguments, varied.keys)
        forget_jobs(folder)
        view = None
        if not has_launcher(arguments):
            view = ProgressView(safe_console(stderr=True), varied.jobs, whole="of the sweep")
        options = tuple(folder_options(arguments))
        return cls(folder, varied.keys, varied.jobs, options, tuple(strangers), view)

    def run_job(self, composed: DictConfig) -> None:
        """Run the job that Hydra has composed, and print the reason if it fails."""
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
            return run_one(config, self.folder.name, self._progress_of(job), self._numbered(job))

        ended = recorded(job, self.folder, work, _ending)
        if ended.state == "failed":
            say(f"{self._numbered(job)} failed: {ended.error}", err=True)

    def end(self) -> int:
        """Show all jobs and the failures, write the sweep's page, and return the exit code."""
        from remem.cli.table_output import show_block_costs
        from remem.reports.html.sweep_page import write_sweep_page
        from remem.reports.terminal import sweep_report
        from remem.reports.terminal.console import table_console
        from remem.tables.sweep_table import sweep_table

        jobs = read_jobs(self.folder)
        if not jobs:
            return 0
        table = sweep_table(jobs)
        table_console().print(sweep_report.show_sweep(table))
        show_block_costs([block.costs for block in table.blocks])
        say(f"Sweep report: {write_sweep_page(self.folder, table, jobs)}", err=True)
        for line in sweep_report.ending(jobs, self.jobs):
            say(line, err=True)
        return first_failure(jobs)

    def _config(self, composed: DictConfig, overrides: Sequence[str]) -> RunConfig | Exception:
        """Return the configuration of a job, or the error that will end the job."""
        try:
            check_composed(composed, overrides, self.strangers)
            return run_config(composed)
        except Exception as error:  # noqa: BLE001  it is recorded with the job
            return error

    def _progress_of(self, job: Job) -> ShowProgress:
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
    """Return the folder of a sweep; its name is made from the arguments."""
    paths = [argument for argument in arguments if argument.startswith("paths.results=")]
    default = run_config(compose_config(paths))
    chosen = [argument for argument in arguments if argument.startswith(f"{DATASET}=")]
    dataset = chosen[-1].partition("=")[2] if chosen else default.dataset
    return default.results / "sweeps" / sweep_name(arguments, keys, dataset)


def _ending(error: Exception) -> Ending:
    """Return the exit code and message for an error; print the traceback if it is a bug."""
    if known := ending(error):
        return known
    say("".join(traceback.format_exception(error)), err=True)
    return Ending(ERROR, f"{type(error).__name__}: {error}")
