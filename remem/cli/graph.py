"""`remem graph`: the properties of a dataset's memory graphs."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.override_completion import Overrides


def graph(
    overrides: Overrides = None,
    graphml: Annotated[
        Path | None, typer.Option(help="write each history's graph into this folder")
    ] = None,
) -> None:
    """Build the memory graphs of a dataset and show their average properties.

    Example: remem graph dataset=generated_complex_tr --graphml graphs
    """
    from remem.config.run_config import compose_config, run_config
    from remem.reports.terminal.table_console import table_console
    from remem.results.memory_graphs import (
        memory_graphs,
        properties_of,
        show_properties,
        write_graphml,
    )

    found = []
    for history, memory_graph in memory_graphs(run_config(compose_config(overrides or []))):
        found.append(properties_of(history, memory_graph))
        if graphml is not None:
            write_graphml(memory_graph, graphml / f"{history.id}.graphml")
    table_console().print(show_properties(found))
