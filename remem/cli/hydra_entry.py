"""The Hydra entry: `python -m remem.run key=value ...`, multirun with -m.

A job raises when it fails and never exits. `sweep_run.py` has the jobs of a sweep.
"""

import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from omegaconf import DictConfig

from remem.benchmarks.stratified import own_samples
from remem.config.admission import check_composed
from remem.config.conf_files import conf_folder
from remem.config.config_dir import grants, hydra_arguments, strangers_folders
from remem.config.interpolations import check_interpolations
from remem.config.override_text import quoted
from remem.config.retirement import read_retirements, retirement_warning
from remem.config.run_config import RunConfig, compose_given, run_config
from remem.config.secret_values import check_secrets
from remem.evaluation.checked_choices import check_choices
from remem.evaluation.judging import read_verdicts
from remem.evaluation.usage import stage_prices, usage_by_stage
from remem.evaluation.written_scores import write_run_scores
from remem.llm.endpoint import STUB
from remem.metrics.scores import summarise
from remem.prompts.chosen import prompt_origin
from remem.reports.terminal.console import safe_console
from remem.reports.terminal.progress import ProgressView
from remem.reports.terminal.run_scores import show_scores
from remem.reports.terminal.stage_usage import show_usage
from remem.reports.terminal.table_console import table_console
from remem.run.child_process import note_own_process
from remem.run.experiment import run_experiment
from remem.run.failures import ASK_AGAIN, told_failures
from remem.run.run_account import ShowProgress
from remem.run.run_notes import run_notes
from remem.run.store import RECORDS, read_manifest
from remem.run.sweep_labels import MULTIRUN

SWEEP_SIGNS = frozenset(",(")
"""Characters of an override that lists several values."""


class QuestionsInErrorError(RuntimeError):
    """A run is finished, but some of its questions failed."""


def run_one(config: RunConfig, sweep: str = "", show_progress: ShowProgress | None = None) -> Path:
    """Run one configuration, score it, and print and return its folder.

    Args:
        config: What to run.
        sweep: The name of the sweep that this job belongs to.
        show_progress: Shows the progress; None for a view of this run alone.
    """
    check_choices(config)
    convention = config.score_convention()
    model = config.settings.llm.identity.model or ""
    warning = retirement_warning(model, read_retirements(), date.today())
    if warning:
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {warning}", markup=False)
    show_progress = show_progress or ProgressView(safe_console(stderr=True), 1)
    with show_progress(config.label, stage_prices(config)["read"]) as on_progress:
        result = run_experiment(config, on_progress=on_progress)
    summary = summarise(
        result.records, convention, read_verdicts(config, result.folder, result.records)
    )
    scores = write_run_scores(config, result, summary)
    console = table_console()
    console.print(show_scores(run_title(config), summary, config.scores))
    if result.not_asked:
        all_records = result.total + len(result.not_asked)
        console.print(
            f"These scores cover only a part of the run ({scores.name}); scores.json has the "
            f"scores of all {all_records:,} records.",
            soft_wrap=True,
        )
    for note in run_notes(config, result):
        console.print(note, soft_wrap=True, markup=False)
    for name in own_samples(read_manifest(result.folder).data_names):
        console.print(f"Data: {name}.", soft_wrap=True, markup=False)
    took = usage_by_stage(config, result.folder, result.records)
    if took:
        console.print(show_usage("model calls of these answers", took))
    console.print(str(result.folder), soft_wrap=True, markup=False)
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


def run_title(config: RunConfig) -> str:
    """Name a run, with its prompts if it asks a model, or as the stub's if the stub answers."""
    asked = {"prompts": prompt_origin(config.prompts), "judge prompt": config.judge_prompt}
    said = [f"{what}: {prompts}" for what, prompts in asked.items() if prompts != "none"]
    if config.llm == STUB:
        said = [f"{STUB}: no result", *said]
    run = f"{config.label} on {config.dataset}"
    return f"{run} ({'; '.join(said)})" if said else run


def main() -> None:
    """Run the job or jobs that the command line names."""
    check_secrets("the command line", sys.argv[1:], os.environ)
    check_interpolations(sys.argv[1:], "the command line")
    if granted := grants(sys.argv[1:]):
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {granted}", markup=False)
    given = sys.argv[1:]
    strangers = strangers_folders(given)
    sys.argv[1:] = hydra_arguments(given)
    if _is_plain(sys.argv[1:]):
        note_own_process(run_one(run_config(compose_given(sys.argv[1:], strangers))))
        return
    _run_application(given, strangers)


def _run_application(given: Sequence[str], strangers: Sequence[Path]) -> None:
    """Let Hydra, as an application, compose and start the job, or the jobs of a sweep."""
    if set(MULTIRUN) & set(given):
        _run_sweep(given, strangers)
        return
    errors: list[Exception] = []

    def job(config: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        try:
            check_composed(config, HydraConfig.get().overrides.task, strangers)
            note_own_process(run_one(run_config(config)))
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
