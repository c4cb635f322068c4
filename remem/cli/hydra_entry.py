"""The Hydra application of `remem run key=value ...`, multirun with -m.

A job raises when it fails and never exits, so that a sweep goes on with the other jobs.
"""

import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from omegaconf import DictConfig

from remem.cli.run_output import say_run, show_job, show_run
from remem.cli.spending_limit import run_limit, say_limit
from remem.config.admission import check_composed
from remem.config.conf_files import conf_folder
from remem.config.config_dir import grants, hydra_arguments, strangers_folders
from remem.config.interpolations import check_interpolations
from remem.config.override_text import options_first, quoted
from remem.config.retirement import read_retirements, retirement_warning
from remem.config.run_config import RunConfig, compose_given, run_config
from remem.config.secret_values import check_secrets
from remem.errors import QuestionsInErrorError, UsageError
from remem.reports.terminal.console import safe_console
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
from remem.run.sweep_jobs import MULTIRUN

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
        show_progress: Shows the progress; None for a view of this run alone.
        label: The label of a job of a sweep, of which only one line is printed.
        json: Whether to print the result as JSON.
    """
    check_choices(config)
    model = config.settings.llm.identity.model or ""
    warning = retirement_warning(model, read_retirements(), date.today())
    if warning:
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {warning}", markup=False)
    if not label:  # a sweep says it once for its jobs
        say_limit(run_limit(config))
    show_progress = show_progress or ProgressView(safe_console(stderr=True), 1)
    with show_progress(config.label, stage_prices(config)["read"]) as on_progress:
        result = run_experiment(config, on_progress=on_progress)
    run = Run.of(config, result)
    scores = run.write_scores()
    if label:
        show_job(label, run)
    else:
        (say_run if json else show_run)(run, scores)
    _mirror(config, run.folder, sweep)
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


def _mirror(config: RunConfig, folder: Path, sweep: str) -> None:
    """Copy the run to W&B if its configuration says so."""
    if config.settings.logger.name != "none":
        from remem.reports.wandb.mirror import mirror

        mirror(config, [folder], sweep)


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
    given = sys.argv[1:]
    if json and set(MULTIRUN) & set(given):
        raise UsageError(
            "--json is for one run; leave it out, and read results/sweeps, where a sweep writes "
            "what became of each job"
        )
    strangers = strangers_folders(given)
    sys.argv[1:] = hydra_arguments(given)
    if _is_plain(sys.argv[1:]):
        config = run_config(compose_given(sys.argv[1:], strangers))
        note_own_process(run_one(config, json=json))
        return
    _run_application(given, strangers, json=json)


def _run_application(given: Sequence[str], strangers: Sequence[Path], *, json: bool) -> None:
    """Let Hydra, as an application, compose and start the job, or the jobs of a sweep."""
    if set(MULTIRUN) & set(given):
        _run_sweep(given, strangers)
        return
    errors: list[Exception] = []

    def job(config: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        try:
            check_composed(config, HydraConfig.get().overrides.task, strangers)
            note_own_process(run_one(run_config(config), json=json))
        except Exception as error:  # noqa: BLE001  Hydra would print a line of its own
            errors.append(error)

    _application(job)
    if errors:
        raise errors[0]


def _run_sweep(given: Sequence[str], strangers: Sequence[Path]) -> None:
    from remem.cli.sweep_run import Sweep

    sweep = Sweep.of(given, strangers)
    sys.argv.append(f"hydra.sweep.dir={quoted(str(sweep.folder))}")
    exit_code = 0
    try:
        _application(lambda config: sweep.run_job(config, run_one))
    finally:
        exit_code = sweep.end()
    if exit_code:
        sys.exit(exit_code)


def _application(job: Callable[[DictConfig], None]) -> None:
    """Run a Hydra application, which reads its arguments from sys.argv."""
    import hydra

    from remem.config.apps_search_path import search_apps

    search_apps()
    hydra.main(version_base="1.3", config_path=str(conf_folder()), config_name="config")(job)()


def _is_plain(arguments: Sequence[str]) -> bool:
    """Return whether the arguments name one job and set nothing of Hydra itself.

    Hydra as an application composes the configuration twice; composing it directly does so once. A
    possible sweep is left to the application, which explains how to quote it in a shell.
    """
    return not any(
        change.lstrip("+~").startswith(("-", "hydra")) or SWEEP_SIGNS & set(change)
        for change in arguments
    )
