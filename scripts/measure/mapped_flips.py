"""A mapped memory of a finished run, and whether its answers change after a flipped bit."""

from remem.config.run_config import RunConfig
from remem.memory.remem_memory import REMem
from remem.types import Episode, History, Message, ToolCall

MAPPED = "mapped"
ADDED = History("added", (Episode("added", (Message("added", "Ann", "I moved to Kres."),)),))
ASKED = 3
"""Number of gists whose text is searched for."""


def save_mapped(config: RunConfig) -> None:
    """Map the index of a run's first history into its results folder, and add to it."""
    folder = config.results / MAPPED
    folder.mkdir()
    memory = _empty(config)
    memory.load(min((config.results / "cache" / "indexes").glob("*/")))
    memory.save_mapped(folder)
    growing = _empty(config)
    growing.open_mapped(folder)
    growing.append_mapped(folder, ADDED)


def mapped_answers(config: RunConfig) -> str:
    """Return the content of a mapped memory and the answers of its tools.

    Raises:
        ValueError: It is damaged.
    """
    memory = _empty(config)
    memory.open_mapped(config.results / MAPPED)
    gists, facts = list(memory.graph.gists), list(memory.graph.facts)
    calls = [
        *(
            ToolCall(tool, {"query": gist.text})
            for tool in ("semantic_retrieve", "lexical_retrieve")
            for gist in gists[:ASKED]
        ),
        *(ToolCall("find_entity_contexts", {"subject": fact.subject}) for fact in facts[:ASKED]),
    ]
    answers = [memory.toolbox().execute(call, "") for call in calls]
    return repr((gists, facts, memory.graph.synonymy_pairs(), memory.index_usage, answers))


def _empty(config: RunConfig) -> REMem:
    memory = config.memory_factory()()
    if not isinstance(memory, REMem):
        raise TypeError(f"a {type(memory).__name__} is not mapped, only method=remem_i and remem_s")
    return memory
