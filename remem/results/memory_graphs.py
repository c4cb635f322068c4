"""Build, summarise (paper, Graph Property) and export the memory graphs of a benchmark."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from rich import box
from rich.table import Table

from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.files.disk import part_of, remove_left_over
from remem.memory.graph import GraphProperties, MemoryGraph, graph_properties, mean_properties
from remem.memory.remem_memory import REMem
from remem.metrics.tokens import estimated_tokens
from remem.run.index_cache import IndexCache
from remem.types import History

_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def memory_graphs(config: RunConfig) -> Iterator[tuple[History, MemoryGraph]]:
    """Build or load the graph of every history, and yield each history with its graph.

    Raises:
        UsageError: The method does not build a memory graph.
    """
    make_memory, cache = config.memory_factory(), IndexCache(config)
    for history in config.build_benchmark().histories()[: config.histories]:
        memory = make_memory()
        if not isinstance(memory, REMem):
            raise UsageError(f"{config.label} does not build a memory graph; use method=remem_i")
        cache.index(memory, history)
        yield history, memory.graph


def properties_of(history: History, graph: MemoryGraph) -> GraphProperties:
    """Return the properties of a history's graph; the token counts are estimates."""
    return graph_properties(graph, history, estimated_tokens)


def show_properties(graphs: Sequence[GraphProperties]) -> Table:
    """Return a table with the mean of every property over the graphs."""
    mean = mean_properties(graphs)
    table = Table("property", f"mean over {len(graphs)} graphs", box=box.SIMPLE_HEAD)
    for row in fields(mean):
        name = row.name.replace("_", " ")
        estimate = " (est.)" if name.endswith("tokens") else ""
        table.add_row(name + estimate, f"{getattr(mean, row.name):,.1f}")
    return table


def write_graphml(graph: MemoryGraph, path: Path) -> None:
    """Write a graph with explicit context edges as a GraphML file, atomically.

    Characters that XML does not allow become U+FFFD, and line breaks become line feeds.
    """
    import networkx

    view = graph.to_networkx()
    described = [data for _, data in view.nodes(data=True)]
    described += [data for _, _, data in view.edges(data=True)]
    for data in described:
        data.update({name: _as_xml_text(value) for name, value in data.items()})
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_left_over(path.parent, path.name)
    part = part_of(path)
    networkx.write_graphml(view, part)
    part.replace(path)


def _as_xml_text(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", re.sub("\r\n?", "\n", text))
