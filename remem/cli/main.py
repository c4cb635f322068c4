"""The `remem` command: its verbs are in the other modules of this package.

A verb imports what it needs when it is called, so that help, completion and mistyped names are
quick. Exit codes: 0 done, 1 error, 2 usage, 3 finished with questions in error, 4 budget reached,
5 verification failed, 130 interrupted.
"""

import gc
import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from remem.cli import (
    asking,
    bundling,
    classifying,
    files,
    looking,
    overview,
    reporting,
    rescoring,
    running,
    scoring,
    serving,
    tables,
    tracking,
)
from remem.reports.terminal.console import InertRecord, say
from remem.run.interruption import GOES_ON, INTERRUPTED, leaving_soon_at_interrupt

GARBAGE = (50_000, 20, 50)
"""Thresholds of gc: what a run keeps stays, and by default a tenth of it looks through all that."""

GROUPS: Mapping[str, tuple[Callable[..., None], ...]] = {
    "Measure": (
        running.run,
        tables.table,
        tables.tables,
        rescoring.score,
        scoring.compare,
        reporting.report,
    ),
    "Judge": (
        scoring.judge,
        rescoring.judge_noise,
        rescoring.judge_stress,
        rescoring.label_sheet,
        rescoring.error_shares,
        rescoring.agree,
    ),
    "Check": (
        overview.doctor,
        files.audit,
        files.paper_audit,
        running.estimate,
        running.live_check,
        bundling.verify,
    ),
    "Keep": (bundling.bundle, bundling.replay),
    "Try": (asking.ask, looking.extract, looking.graph, classifying.classify),
    "Serve and fetch": (
        files.fetch,
        files.fetch_prompts,
        serving.serve_embeddings,
        serving.serve_model,
        serving.serve_stub,
        serving.gateway,
        tracking.wandb_push,
    ),
}
"""The verbs, as the help shows them."""

LONGEST_HELP = 200
"""Characters of a verb's first sentence: more than any has, so that none is cut short."""
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


class GroupedVerbs(TyperGroup):
    """Shows the verbs under the headings of GROUPS, as plain text: rich would double the time."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's own copy
        """Write the verbs of each heading."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for name, verb in self.commands.items():
            heading = getattr(verb, "rich_help_panel", None) or "Commands"
            headings.setdefault(heading, []).append((name, verb.get_short_help_str(LONGEST_HELP)))
        for heading, rows in headings.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


app = typer.Typer(
    cls=GroupedVerbs,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Reproduce, audit and beat the tables of the REMem paper.",
)
app.command("list")(overview.list_names)
for group, verbs in GROUPS.items():
    for verb in verbs:
        settings = PASS_ON if verb is running.run else None
        app.command(rich_help_panel=group, context_settings=settings)(verb)


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(*GARBAGE)
    logging.setLogRecordFactory(InertRecord)
    try:
        with leaving_soon_at_interrupt():
            app(prog_name="remem")  # ends by SystemExit: done, misused (2) or interrupted (130)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            say(f"remem: {GOES_ON}", err=True)
        raise
    except Exception as error:
        from remem.cli.exit_codes import ending

        ended = ending(error)
        if ended is None:
            raise
        say(f"remem: {ended.complaint}", err=True)
        sys.exit(ended.code)
