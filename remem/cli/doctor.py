"""`remem doctor`: what this machine has and what it is missing."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.override_completion import Overrides
from remem.config.config_dir import GRANTED, TRUST

MARKS = {"ok": "green", "absent": "yellow", "problem": "red"}


def doctor(
    overrides: Overrides = None,
    trust_config: Annotated[
        Path | None,
        typer.Option(help=f"a folder of yours with method/, llm/ ...: {GRANTED}"),
    ] = None,
) -> None:
    """Check Python, extras, GPU, data, disk, key and endpoint; say how to fix each.

    Example: remem doctor llm=gpt-4.1-mini-2025-04-14

    A memory is checked with planted facts: it must keep histories apart, keep dates, and not store
    questions. Example: remem doctor method=command 'method.build.command=[my-memory]'
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from remem.benchmarks.files.notes import datasets_folder
    from remem.cli.doctor_checks import examine
    from remem.reports.terminal.table_console import table_console

    trusted = [f"{TRUST}={trust_config.absolute()}"] if trust_config is not None else []
    findings = list(examine([*(overrides or []), *trusted], datasets_folder()))
    shown = Table("", "what", "found", "how to fix it", box=box.SIMPLE_HEAD)
    for finding in findings:
        state = Text(finding.state, style=MARKS[finding.state])
        shown.add_row(state, finding.what, Text(finding.found), Text(finding.fix))
    table_console().print(shown)
    problems = [finding.what for finding in findings if finding.state == "problem"]
    if problems:
        raise RuntimeError(f"found problems with {', '.join(problems)}")
