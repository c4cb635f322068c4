"""Measure memories on the chats of BEAM 500K: index, ask, append, and the memory of the process.

For docs/larger_memory.md: `REMEM_DATA=<folder> python scripts/bench.py beam`. Each memory is
measured in a process of its own, so that the peak memory is that of this memory alone.
"""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

from measure.large_memory import ask, asked
from measure.line import Goal, Line, Sample
from measure.long_log import peak_memory
from remem.config.run_config import configure
from remem.memory.remem_memory import REMem
from remem.metrics.tokens import estimated_tokens
from remem.protocols import Memory
from remem.types import History, Query, ToolCall

MEMORIES = {
    "BM25": ("method=bm25_messages",),
    "hashing": ("method=embedding_messages",),
    "REMem-S": ("method=remem_s",),
    "REMem-I": ("method=remem_i", "planner=scripted"),
}
SIZE, QUICK_SIZE = "500K", "100K"
INDEXED = 90
APPENDED = {"append 9%": 99, "append 1%": 100}
"""The per cent of the sessions that are indexed at first, and after each append."""
SEARCH_MS = 20.0
AT_MOST = 1.5
"""The goal for the time of an append, as a ratio to its share of indexing at once."""
NOT_HERE = "not measured: REMEM_DATA=<folder> remem fetch beam"


@dataclass(slots=True)
class Measured:
    """What one memory took on all histories.

    Seconds are those of the processor, and include a question after indexing or appending, since
    an index may be built at the first search. `in_proportion` is what each append would take if it
    took its share of the time of indexing the history at once.
    """

    indexed: list[float] = field(default_factory=list)
    recalled_ms: list[float] = field(default_factory=list)
    appended: dict[str, list[float]] = field(default_factory=dict)
    in_proportion: dict[str, list[float]] = field(default_factory=dict)
    tools_ms: dict[str, Sample] = field(default_factory=dict)
    """By tool, on the first history; empty if the memory has no tools."""
    before_gb: float = 0.0
    """The peak memory when the chats were read and nothing was indexed."""
    peak_gb: float = 0.0


def measure(*, quick: bool) -> Iterator[Line]:
    """Yield the lines of each memory; a quick run takes the first chat of BEAM 100K."""
    if "REMEM_DATA" not in os.environ:
        yield Line("BEAM", "s", Sample(0, 0, 0, 0), note=NOT_HERE)
        return
    size = QUICK_SIZE if quick else SIZE
    few = ("dataset.build.chats=[1]",) if quick else ()
    yield from compare(f"BEAM {size}", ("dataset=beam", f"dataset.build.size={size}", *few))


def compare(name: str, data: Sequence[str]) -> Iterator[Line]:
    """Measure every memory on all histories of a dataset, one memory after the other."""
    content = _content(configure(*data).build_benchmark().histories())
    for memory, overrides in MEMORIES.items():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            found = alone.submit(measured, (*overrides, *data)).result()
        yield from _lines(f"{name}, {memory}", content, found)


def measured(overrides: Sequence[str]) -> Measured:
    """Index, ask and append to a memory of each history."""
    config = configure(*overrides)
    benchmark, make = config.build_benchmark(), config.memory_factory()
    found = Measured(before_gb=peak_memory())
    for history in benchmark.histories():
        queries = [question.query for question in benchmark.questions(history.id)]
        memory = make()
        found.indexed.append(_seconds(memory, history, queries[0]))
        found.recalled_ms += [_milliseconds(memory, query) for query in queries]
        if isinstance(memory, REMem) and not found.tools_ms:
            found.tools_ms = _tools(memory, queries)
        _append(make(), history, queries[0], found)
    found.peak_gb = peak_memory()
    return found


def _append(memory: Memory, history: History, query: Query, found: Measured) -> None:
    """Index the first sessions of a history, then append the others in parts."""
    done = _until(history, INDEXED)
    _seconds(memory, _part(history, 0, done), query)
    for name, until in APPENDED.items():
        part, done = _part(history, done, _until(history, until)), _until(history, until)
        share = _messages(part) / _messages(history)
        found.appended.setdefault(name, []).append(_seconds(memory, part, query))
        found.in_proportion.setdefault(name, []).append(share * found.indexed[-1])


def _until(history: History, per_cent: int) -> int:
    return len(history.episodes) * per_cent // 100


def _part(history: History, begin: int, end: int) -> History:
    return History(history.id, history.episodes[begin:end])


def _messages(history: History) -> int:
    return sum(1 for _ in history.messages())


def _seconds(memory: Memory, history: History, query: Query) -> float:
    """Return the processor time of indexing sessions and asking a question."""
    begun = time.process_time()
    memory.index(history)
    memory.recall(query)
    return time.process_time() - begun


def _milliseconds(memory: Memory, query: Query) -> float:
    begun = time.perf_counter()
    memory.recall(query)
    return 1000 * (time.perf_counter() - begun)


def _tools(memory: REMem, queries: Sequence[Query]) -> dict[str, Sample]:
    """Time the tools: two searches for each question, and the context of the best gist of it."""
    searches = {
        tool: [ToolCall(tool, {"query": query.text}) for query in queries]
        for tool in ("semantic_retrieve", "lexical_retrieve")
    }
    best = [ask(memory, call)[1].gists[:1] for call in searches["lexical_retrieve"]]
    contexts = [
        ToolCall("find_gist_contexts", {"gist_id": gist.id}) for gists in best for gist in gists
    ]
    calls = searches | {"find_gist_contexts": contexts}
    return {tool: asked(memory, of_tool) for tool, of_tool in calls.items() if of_tool}


def _content(histories: Sequence[History]) -> str:
    messages = [message for history in histories for message in history.messages()]
    tokens = sum(estimated_tokens(message.text) for message in messages)
    return f"{len(histories)} chats, {len(messages):,} messages, {tokens:,} tokens (est.)"


def _lines(name: str, content: str, found: Measured) -> Iterator[Line]:
    yield Line(f"{name}: index a chat", "s", Sample.of(found.indexed), note=content)
    for what, milliseconds in {
        "recall": Sample.of(found.recalled_ms),
        **found.tools_ms,
    }.items():
        goal = Goal("<=", SEARCH_MS, "median")
        yield Line(f"{name}: {what}", "ms", milliseconds, f"{SEARCH_MS:g} ms", goal=goal)
    for what, seconds in found.appended.items():
        yield Line(
            f"{name}: {what}, then ask",
            "s",
            Sample.of(seconds),
            "its share of indexing at once",
            Sample.of(found.in_proportion[what]),
            goal=Goal("<=", AT_MOST),
        )
    before = f"{found.before_gb:.2f} GB before anything was indexed"
    yield Line(f"{name}: peak memory", "GB", Sample.of([found.peak_gb]), note=before)
