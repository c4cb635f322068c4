"""`remem fetch-prompts`: download other people's prompts."""

from typing import Annotated

import typer

from remem.cli.naming import one_of, prompt_sources
from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import safe_console


def fetch_prompts(
    name: Annotated[
        str,
        typer.Argument(
            help="released, personamem, or the name of a judge, such as mem0-judge",
            callback=one_of("set of prompts", prompt_sources),
            autocompletion=prompt_sources,
        ),
    ],
    overrides: Overrides = None,
) -> None:
    """Download prompts that are not shipped, and verify their checksums.

    Example: remem fetch-prompts released
    """
    from remem.benchmarks.files.fetch_prompts import fetch_prompts as fetch_templates

    fetch_templates(name, overrides or [], safe_console(soft_wrap=True))
