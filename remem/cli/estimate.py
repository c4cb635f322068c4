"""`remem estimate`: what a run would cost."""

from typing import TYPE_CHECKING

from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from omegaconf import DictConfig


def estimate(
    overrides: Overrides = None,
) -> None:
    """Estimate the calls, tokens and dollars of a run; nothing is sent.

    Example: remem estimate dataset=locomo extractor=llm planner=llm reader=direct llm=<a model>
    """
    from remem.config.run_config import compose_config

    show_estimate(compose_config(overrides or []))


def show_estimate(composed: "DictConfig") -> None:
    """Rehearse a run without sending anything, and show what it would cost."""
    from remem.config.run_config import run_config
    from remem.reports.terminal.stage_usage import show_usage
    from remem.reports.terminal.table_console import table_console
    from remem.results.estimate import estimate as rehearse

    config = run_config(composed)
    found = rehearse(composed)
    for told in found.free:
        say(told)
    if not found.questions:
        return
    model = "" if config.llm == "none" else f" with {config.llm}"
    out = table_console()
    out.print(show_usage(f"{config.label} on {config.dataset}{model}", found.stages))
    say(
        f"Estimated: {found.questions} questions on {found.histories} histories were rehearsed "
        f"with made-up replies of the paper's size; a token is "
        f"assumed to have 4 characters. Calls that are already in the call store cost nothing."
    )
