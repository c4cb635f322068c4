"""`remem run`, `remem live-check`: what answers questions; `estimate`: what that would take."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(context: typer.Context) -> None:
    """Run one configuration, or a sweep with -m.

    Example: remem run dataset=generated_tot method=remem_s reader=symbolic
    """
    from remem.cli.hydra_entry import main as run_main

    sys.argv = ["remem run", *context.args]
    # Hydra then raises what a job raised, and main() turns it into an exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    run_main()


def estimate(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
) -> None:
    """Say what a run would take in calls, tokens and dollars; nothing is sent.

    Example: remem estimate dataset=locomo extractor=llm planner=llm reader=direct llm=<a model>
    """
    from remem.config.run_config import compose_config

    _show_estimate(compose_config(overrides or []))


def live_check(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
) -> None:
    """Ask a live model twenty questions on three sessions: whether the line works, for cents.

    Example: OPENAI_API_KEY=... REMEM_DATA=/data/memory remem live-check
    """
    from remem.cli.live_check import check_passed, check_ready, compose_checks, show_check
    from remem.cli.live_check import live_check as run_check
    from remem.config.run_config import run_config
    from remem.reports.terminal.progress import show_progress
    from remem.reports.terminal.table_console import table_console

    composed, *smaller = compose_checks(overrides or [])
    config, others = run_config(composed), [run_config(one) for one in smaller]
    check_ready(config)
    _show_estimate(composed)
    with show_progress(safe_console(stderr=True), f"live check with {config.llm}") as on_progress:
        found = run_check(config, on_progress, *others)
    table_console().print(show_check(found))
    say(f"The records: {found.result.folder}")
    check_passed(found)


def _show_estimate(composed: "DictConfig") -> None:
    from remem.config.run_config import run_config
    from remem.evaluation.estimate import estimate as rehearse
    from remem.reports.terminal.progress import show_progress
    from remem.reports.terminal.stage_usage import show_usage
    from remem.reports.terminal.table_console import table_console

    config = run_config(composed)
    with show_progress(safe_console(stderr=True), f"rehearsal of {config.label}") as on_progress:
        found = rehearse(composed, on_progress)
    for told in found.free:
        say(told)
    if not found.questions:
        return
    model = "" if config.llm == "none" else f" with {config.llm}"
    out = table_console()
    out.print(show_usage(f"{config.label} on {config.dataset}{model}", found.stages))
    say(
        f"Estimated: {found.questions} questions on {found.histories} histories were rehearsed "
        f"with made-up replies of the paper's size; tokens are characters / 4. What the call "
        f"store already holds costs nothing."
    )
