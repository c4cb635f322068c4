"""Measure REMem without a model on one long log: index, save, open, ask, append.

For docs/larger_memory.md: `python scripts/bench.py long-log`. The log has ten million tokens by the
estimate of `estimated_tokens`, in short messages of a person and long replies of an assistant; the
extractor, the embedder and the indexes are real.
"""

import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from measure.large_memory import ask, asked
from measure.line import Goal, Growth, Line, Sample
from measure.workload import sentences
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.memory.remem_memory import REMem
from remem.metrics.tokens import estimated_tokens
from remem.temporal.dates import format_point
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message, ToolCall

SETTINGS = (
    "method=remem_i",
    "planner=scripted",
    "index=faiss_cpu",
)
TOKENS = (100_000, 1_000_000, 10_000_000)
QUICK_TOKENS = (20_000, 60_000)
SHARES = (0.001, 0.01)
"""The parts of the log that are appended, one after the other."""
SESSION = 20
OF_TOPIC, WORDS_OF_A_TOPIC = 0.5, 100
"""The share of words from the topic of a session, and the number of its words."""
SYLLABLES = tuple(f"{first}{last}" for first in "bcdfghjklmnprstvwz" for last in "aeiou")
SPEAKERS = ("Ann", "Assistant")
SENTENCES = ((1, 4), (6, 25))
"""Sentences of a message: at least the first, fewer than the second number, by speaker."""
WHEN = ("", "", "", "yesterday", "last Friday", "two weeks ago")
REPEATS = 30
SEED = 5
LIMITS = {
    "index, processor time": ("s", 600.0),
    "peak memory": ("GB", 4.0),
    "semantic_retrieve": ("ms", 20.0),
    "semantic_retrieve, 5% of the time": ("ms", 20.0),
    "lexical_retrieve": ("ms", 20.0),
    "find_gist_contexts": ("ms", 20.0),
}
Found = dict[str, Sample]


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Yield the lines of the longest log, and how each figure grows."""
    yield from compare(QUICK_TOKENS if quick else TOKENS, REPEATS)


def compare(sizes: Sequence[int], repeats: int) -> Iterator[Line | Growth]:
    """Measure logs of these numbers of tokens."""
    if find_spec("faiss") is None:
        yield Line("long log", "s", Sample(0, 0, 0, 0), note="pip install -e '.[cpu]'")
        return
    config = run_config(compose_config(SETTINGS))
    measured = [_measured(config, size, repeats) for size in sizes]
    at = f"log of {sizes[-1]:,} tokens"
    for name, sample in measured[-1].items():
        unit, limit = LIMITS.get(name, (_unit(name), None))
        goal = None if limit is None else Goal("<=", limit, "median")
        against = "" if limit is None else f"{limit:g} {unit}"
        yield Line(f"{at}: {name}", unit, sample, against, goal=goal)
    yield _append_line(at, measured[-1])
    for name in measured[-1]:
        medians = tuple(found[name].median for found in measured)
        yield Growth(f"long log: {name}", _unit(name), tuple(sizes), medians)


def long_log(tokens: int, seed: int) -> Iterator[Episode]:
    """Yield sessions of two speakers, an hour apart, with at least this many tokens in all."""
    rng, told, number = np.random.default_rng(seed), 0, 0
    start = datetime(2015, 1, 1, 8)
    while told < tokens:
        said = start + timedelta(hours=number)
        day = TimePoint(said.year, said.month, said.day)
        numbers = rng.integers(len(SYLLABLES), size=(WORDS_OF_A_TOPIC, 4)).tolist()
        topic = ["".join(SYLLABLES[part] for part in word) for word in numbers]
        texts = [_said(at % 2, topic, rng) for at in range(SESSION)]
        messages = tuple(
            Message(f"s{number}/m{at}", SPEAKERS[at % 2], text, date=format_point(day), time=day)
            for at, text in enumerate(texts)
        )
        yield Episode(f"s{number}", messages)
        told += sum(map(estimated_tokens, texts))
        number += 1


def _said(speaker: int, topic: Sequence[str], rng: np.random.Generator) -> str:
    """Return a message that takes half of its words from the topic of its session."""
    common = " ".join(sentences(int(rng.integers(*SENTENCES[speaker])), rng)).split()
    of_topic = rng.random(len(common)) < OF_TOPIC
    places = rng.integers(len(topic), size=len(common)).tolist()
    words = [
        topic[place] if from_topic else word
        for word, place, from_topic in zip(common, places, of_topic, strict=True)
    ]
    return " ".join([*words, WHEN[int(rng.integers(len(WHEN)))]]).rstrip()


def _measured(config: RunConfig, tokens: int, repeats: int) -> Found:
    episodes = tuple(long_log(tokens, SEED))
    held = len(episodes)
    found: Found = {}
    with tempfile.TemporaryDirectory(prefix="remem-long-log-") as name:
        folder = Path(name)
        memory = _memory(config)
        cpu, wall = _timed(partial(memory.index, History("log", episodes)))
        found |= {"index, processor time": cpu, "index, wall clock": wall}
        found["save"] = _timed(partial(memory.save_mapped, folder))[1]
        memory = _memory(config)
        found["open"] = _timed(partial(memory.open_mapped, folder))[1]
        for tool, calls in _calls(episodes, repeats).items():
            found[tool] = asked(memory, calls)
        for share in SHARES:
            more = _later(episodes[: max(1, round(held * share))], f"{share:g}")
            appended = _timed(partial(_appended, memory, folder, more))
            found[f"append {100 * share:g}%, then ask"] = appended[1]
    found["peak memory"] = Sample.of([peak_memory()])
    return found


def _memory(config: RunConfig) -> REMem:
    memory = config.memory_factory()()
    if not isinstance(memory, REMem):
        raise TypeError(f"{SETTINGS} builds a {type(memory).__name__}, expected a REMem")
    return memory


def _calls(episodes: Sequence[Episode], repeats: int) -> dict[str, list[ToolCall]]:
    """Return calls of each tool that a memory without facts can answer."""
    rng = np.random.default_rng(SEED)
    texts = [" ".join(text.split()[:8]) for text in sentences(repeats, rng)]
    days = [message.time for episode in episodes for message in episode.messages[:1]]
    wide = max(1, len(days) // 20)
    firsts = rng.integers(0, max(1, len(days) - wide), repeats).tolist()
    spans = [
        {"start_time": str(days[first]), "end_time": str(days[first + wide - 1])}
        for first in firsts
    ]
    gists = rng.integers(1, SESSION * len(episodes) + 1, repeats).tolist()
    return {
        "semantic_retrieve": [ToolCall("semantic_retrieve", {"query": text}) for text in texts],
        "semantic_retrieve, 5% of the time": [
            ToolCall("semantic_retrieve", {"query": text, **span})
            for text, span in zip(texts, spans, strict=True)
        ],
        "lexical_retrieve": [ToolCall("lexical_retrieve", {"query": text}) for text in texts],
        "find_gist_contexts": [
            ToolCall("find_gist_contexts", {"gist_id": f"g{gist}"}) for gist in gists
        ],
    }


def _later(episodes: Sequence[Episode], mark: str) -> History:
    """Return sessions under ids of their own."""
    return History(
        "log",
        tuple(
            Episode(
                f"{mark}/{episode.id}",
                tuple(
                    replace(message, id=f"{mark}/{message.id}", text=f"again {message.text}")
                    for message in episode.messages
                ),
            )
            for episode in episodes
        ),
    )


def _appended(memory: REMem, folder: Path, more: History) -> None:
    """Append durably, then search, since an index may be built at the first search."""
    memory.append_mapped(folder, more)
    ask(memory, ToolCall("semantic_retrieve", {"query": "again"}))
    _, found = ask(memory, ToolCall("lexical_retrieve", {"query": "again"}))
    if not any(" again " in gist.text for gist in found.gists):
        raise ValueError("the sessions that were appended are not found")


def _append_line(at: str, found: Found) -> Line:
    small, large = (f"append {100 * share:g}%, then ask" for share in SHARES)
    whole = found["index, wall clock"].median + found["save"].median
    peer = Sample.of([whole])
    return Line(
        f"{at}: {large}",
        "s",
        found[large],
        "indexing and saving anew",
        peer,
        goal=Goal("<=", 0.02),
        note=f"{found[small].median:.2f} s for {100 * SHARES[0]:g}%",
    )


def _timed(work: Callable[[], object]) -> tuple[Sample, Sample]:
    """Return the processor time and the wall clock time of an action, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Sample.of([time.process_time() - cpu]), Sample.of([time.perf_counter() - wall])


def _unit(name: str) -> str:
    if name.startswith("peak"):
        return "GB"
    return "s" if name.startswith(("index", "save", "open", "append")) else "ms"


def peak_memory() -> float:
    """Return the peak memory of this process in GB, including mapped files."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
