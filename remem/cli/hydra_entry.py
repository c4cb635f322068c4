"""The Hydra entry: `python -m remem.run key=value ...`, multirun with -m.

A job raises when it fails and never exits, so that a sweep goes on with the other jobs.
"""

import os
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from omegaconf import DictConfig

from remem.cli.run_output import say_run, show_run
from remem.config.admission import check_composed
from remem.config.conf_files import conf_folder
from remem.config.config_dir import grants, hydra_arguments, strangers_folders
from remem.config.instantiation import UsageError
from remem.config.interpolations import check_interpolations
from remem.config.override_text import options_first
from remem.config.retirement import read_retirements, retirement_warning
from remem.config.run_config import RunConfig, compose_config, compose_given, run_config
from remem.config.secret_values import check_secrets
from remem.evaluation.checked_choices import check_choices
from remem.evaluation.judging import read_verdicts
from remem.evaluation.usage import stage_prices
from remem.evaluation.written_scores import write_run_scores
from remem.metrics.scores import summarise
from remem.reports.terminal.console import safe_console
from remem.reports.terminal.progress import ProgressView
from remem.run.child_process import note_own_process
from remem.run.experiment import run_experiment
from remem.run.failures import ASK_AGAIN, told_failures
from remem.run.store import RECORDS

SWEEP = frozenset(("-m", "--multirun"))
SWEEP_SIGNS = frozenset(",(")
"""Characters of an override that lists several values."""


class QuestionsInErrorError(RuntimeError):
    """A run is finished, but some of its questions failed."""


def run_one(config: RunConfig, sweep: str = "", *, json: bool = False) -> Path:
    """Run one configuration, score it, and print and return its folder.

    Args:
        config: What to run.
        sweep: The name of the sweep that this job belongs to.
        json: Whether to print the result as JSON.
    """
    check_choices(config)
    convention = config.score_convention()
    model = config.settings.llm.identity.model or ""
    warning = retirement_warning(model, read_retirements(), date.today())
    if warning:
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {warning}", markup=False)
    view = ProgressView(safe_console(stderr=True), 1)
    with view(config.label, stage_prices(config)["read"]) as on_progress:
        result = run_experiment(config, on_progress=on_progress)
    summary = summarise(
        result.records, convention, read_verdicts(config, result.folder, result.records)
    )
    scores = write_run_scores(config, result, summary)
    show = say_run if json else show_run
    show(config, result, summary, scores)
    _mirror(config, result.folder, sweep)
    if result.errors:
        raise QuestionsInErrorError(
            told_failures(
                result.failures,
                result.total,
                "question",
                f"{ASK_AGAIN} All errors: {result.folder / RECORDS}",
            )
        )
    return result.folder


def _mirror(config: RunConfig, folder: Path, sweep: str) -> None:
    """Copy the run to W&B if its configuration says so."""
    if config.settings.logger.name != "none":
        from remem.reports.wandb.mirror import mirror

        mirror(config, [folder], sweep)


def _job(config: DictConfig, strangers: Sequence[Path], *, json: bool) -> None:
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode

    from remem.run.sweep_jobs import Job, recorded

    hydra_config = HydraConfig.get()
    check_composed(config, hydra_config.overrides.task, strangers)
    if hydra_config.mode != RunMode.MULTIRUN:
        note_own_process(run_one(run_config(config), json=json))
        return
    overrides = tuple(hydra_config.overrides.task)
    check_secrets("the job", overrides, os.environ)
    job = Job(hydra_config.job.num, overrides, "begun")
    sweep = Path(hydra_config.sweep.dir)
    recorded(job, sweep, lambda: run_one(run_config(config), sweep.name))


def main(*, json: bool = False) -> None:
    """Run the job or jobs that the command line names.

    Args:
        json: Whether to print the result of one run as JSON.
    """
    sys.argv[1:] = options_first(sys.argv[1:])
    check_secrets("the command line", sys.argv[1:], os.environ)
    check_interpolations(sys.argv[1:], "the command line")
    if granted := grants(sys.argv[1:]):
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {granted}", markup=False)
    if json and SWEEP & set(sys.argv):
        raise UsageError(
            "--json is for one run; leave it out, and read results/sweeps, where a sweep writes "
            "what became of each job"
        )
    strangers = strangers_folders(sys.argv[1:])
    sys.argv[1:] = hydra_arguments(sys.argv[1:])
    if _is_plain(sys.argv[1:]):
        config = run_config(compose_given(sys.argv[1:], strangers))
        note_own_process(run_one(config, json=json))
        return
    import hydra

    from remem.run.sweep_jobs import forget_jobs

    def job(config: DictConfig) -> None:
        _job(config, strangers, json=json)

    job_or_jobs = hydra.main(
        version_base="1.3", config_path=str(conf_folder()), config_name="config"
    )(job)
    if not SWEEP & set(sys.argv):
        job_or_jobs()
        return
    sweep = sweep_folder(sys.argv[1:])
    sys.argv.append(f"hydra.sweep.dir={sweep}")
    forget_jobs(sweep)
    try:
        job_or_jobs()
    finally:  # Hydra reports the first failure only
        _end_sweep(sweep)


def _is_plain(arguments: Sequence[str]) -> bool:
    """Return whether the arguments name one job and set nothing of Hydra itself.

    Hydra as an application composes the configuration twice; composing it directly does so once. A
    possible sweep is left to the application, which explains how to quote it in a shell.
    """
    return not any(
        change.lstrip("+~").startswith(("-", "hydra")) or SWEEP_SIGNS & set(change)
        for change in arguments
    )


def sweep_folder(arguments: Sequence[str]) -> Path:
    """Return the folder that lists the jobs of a sweep, named by its arguments."""
    from remem.run.sweep_jobs import sweep_name

    paths = [change for change in arguments if change.startswith("paths.results=")]
    return run_config(compose_config(paths)).results / "sweeps" / sweep_name(arguments)


def _end_sweep(sweep: Path) -> None:
    from remem.reports.terminal.sweep_report import ending, write_report
    from remem.run.sweep_jobs import read_jobs

    jobs = read_jobs(sweep)
    if not jobs:
        return
    console = safe_console(stderr=True, soft_wrap=True)
    for line in ending(jobs):
        console.print(line, markup=False, highlight=False)
    console.print(f"Sweep report: {write_report(sweep, jobs)}", markup=False, highlight=False)
