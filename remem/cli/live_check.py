"""`remem live-check`: try a live model on a few questions."""

from remem.cli.estimate import show_estimate
from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import safe_console, say


def live_check(
    overrides: Overrides = None,
) -> None:
    """Try a live model on twenty questions, for a few cents.

    Example: OPENAI_API_KEY=... REMEM_DATA=/data/memory remem live-check
    """
    from remem.cli.live_check_run import check_passed, check_ready, compose_checks, show_check
    from remem.cli.live_check_run import live_check as run_check
    from remem.config.run_config import run_config
    from remem.reports.terminal.progress import ProgressView
    from remem.reports.terminal.table_console import table_console

    composed, *smaller = compose_checks(overrides or [])
    config, others = run_config(composed), [run_config(choice) for choice in smaller]
    check_ready(config)
    show_estimate(composed)
    found = run_check(config, ProgressView(safe_console(stderr=True), 1 + len(others)), *others)
    table_console().print(show_check(found))
    say(f"Records: {found.result.folder}")
    check_passed(found)
