"""`remem extract`: the gists and facts of a text."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import say


def extract(
    passage: Annotated[str, typer.Argument(help="a text file, or - for standard input")],
    overrides: Overrides = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            help="also show what another memory keeps: method=mem0, and other overrides for it"
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="with --beside: write both to this Markdown file")
    ] = None,
) -> None:
    """Show the gists and facts of a text.

    The text has one message per line; a line "Date: ..." dates the messages after it.

    Example: remem extract session.txt extractor=rules
    """
    from remem.cli.extract_comparison import (
        beside_config,
        show_columns,
        side_by_side,
        write_markdown,
    )
    from remem.cli.extract_passage import read_episode, read_text, show_extraction
    from remem.config.run_config import compose_config, run_config
    from remem.errors import ModelUnavailableError, UsageError
    from remem.reports.terminal.table_console import table_console

    if out is not None and not beside:
        raise UsageError("--out needs --beside: it writes what --beside shows")
    extractor = run_config(compose_config(overrides or [])).build_extractor()
    text = read_text(passage)
    episode = read_episode(text)
    found = extractor.extract(episode)
    if found.failure:
        raise ModelUnavailableError(f"nothing was extracted: {found.failure}")
    if beside:
        columns = side_by_side(found, beside_config(overrides or [], beside), episode)
        table_console().print(show_columns(columns))
        if out is not None:
            write_markdown(out, text, columns)
            say(f"Written: {out}")
    else:
        table_console().print(show_extraction(found))
    usage = found.usage
    if usage.calls:
        say(f"{usage.calls} calls, {usage.prompt_tokens} tokens in, {usage.completion_tokens} out")
