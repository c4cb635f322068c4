"""`remem graph` and `remem extract`: a look at what is made of a history or a text."""

from pathlib import Path
from typing import Annotated

import typer

from remem.reports.terminal.console import say


def graph(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    graphml: Annotated[
        Path | None, typer.Option(help="write each history's graph into this folder")
    ] = None,
) -> None:
    """Build the memory graphs of a dataset and show their properties, averaged.

    Example: remem graph dataset=generated_complex_tr --graphml graphs
    """
    from remem.config.run_config import compose_config, run_config
    from remem.evaluation.graphs import memory_graphs, properties_of, show_properties, write_graphml
    from remem.reports.terminal.table_console import table_console

    found = []
    for history, memory_graph in memory_graphs(run_config(compose_config(overrides or []))):
        found.append(properties_of(history, memory_graph))
        if graphml is not None:
            write_graphml(memory_graph, graphml / f"{history.id}.graphml")
    table_console().print(show_properties(found))


def extract(
    passage: Annotated[str, typer.Argument(help="a text file, or - for standard input")],
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(help="method=mem0: what that memory keeps too; other overrides of it"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="with --beside: write both as Markdown")] = None,
) -> None:
    """Show the gists and facts of a text: a line for each message, dated by lines "Date: ...".

    Example: remem extract session.txt extractor=rules
    """
    from remem.cli.extract_command import read_episode, read_text, show_extraction
    from remem.cli.extract_comparison import (
        beside_config,
        show_columns,
        side_by_side,
        write_markdown,
    )
    from remem.config.instantiation import UsageError
    from remem.config.run_config import compose_config, run_config
    from remem.protocols import ModelUnavailableError
    from remem.reports.terminal.table_console import table_console

    if out is not None and not beside:
        raise UsageError("--out writes what --beside shows")
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
