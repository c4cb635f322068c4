"""Measure recalls by a memory in another program, and `remem view` with many runs."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from measure import echo_memory
from measure.beside import beside, scaled, timed
from measure.line import Goal, MeasuredLine, Sample
from measure.whole_run import COMMAND
from remem.config.run_config import configure
from remem.reports.html.site import LIVE, Site
from remem.types import Episode, Evidence, History, Message, Passage, Query

QUESTIONS, TOP_K = 200, 10
RUNS, FEW_RUNS = 500, 20
MOST_OF_IN_PROCESS, MOST_FIRST_SECONDS, MOST_POLL_SECONDS = 100.0, 4.0, 0.3
SMALL_RUN = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1", "run.limit=2"),
    *("method=bm25_messages", "llm=none", "reader=extractive", "convention.score.resamples=99"),
)


def measure(*, quick: bool) -> Iterator[MeasuredLine]:
    """Time recalls by a memory in another program, and `remem view` of 500 runs (20 if `quick`)."""
    yield measure_program(QUESTIONS // 10 if quick else QUESTIONS)
    place = Path(tempfile.mkdtemp(prefix="bench-view-"))
    try:
        yield from measure_view(place, FEW_RUNS if quick else RUNS)
    finally:
        shutil.rmtree(place)


def measure_program(questions: int) -> MeasuredLine:
    """Compare a recall by a memory in another program with the same recall in this process."""
    messages = tuple(Message(f"m{at}", "Ann", f"message {at}") for at in range(TOP_K))
    history = History("echo", (Episode("s", messages),))
    query = Query("q", "echo", 0, "Who?")
    program = f"method.build.command=[{sys.executable},{echo_memory.__file__}]"
    memory: Any = configure("method=command", program).memory_factory()()
    notes = [{"id": message.id, "text": message.text} for message in messages]
    with closing(memory):
        memory.index(history)
        assert len(memory.recall(query).passages) == len(_recalled(query, notes).passages) == TOP_K
        ours, peer = beside(
            lambda: [memory.recall(query) for _ in range(questions)],
            lambda: [_recalled(query, notes) for _ in range(questions)],
            repeats=5,
            clock=time.perf_counter,
        )
    return MeasuredLine(
        name="a question to a memory that is a program (method=command, it echoes)",
        unit="ms",
        ours=scaled(ours, 1000 / questions),
        against="the same memory in this process",
        peer=scaled(peer, 1000 / questions),
        goal=Goal(MOST_OF_IN_PROCESS),
    )


def _recalled(query: Query, notes: list[echo_memory.Note]) -> Evidence:
    asked = {"recall": {"text": query.text, "top_k": TOP_K}}
    found = echo_memory.answer(asked, notes)["found"]
    passages = (Passage(note["id"], note["text"], None, (note["id"],)) for note in found)
    return Evidence(passages=tuple(passages))


def measure_view(results: Path, runs: int) -> Iterator[MeasuredLine]:
    """Measure the CPU time of the first page and of a poll in `remem view`, with copied runs."""
    command = [*COMMAND, *SMALL_RUN, f"paths.results={results}"]
    subprocess.run(command, check=True, capture_output=True)
    (manifest,) = results.glob("runs/**/manifest.json")
    for number in range(1, runs):
        shutil.copytree(manifest.parent, results / "runs" / "copies" / f"{number}")
    first, polls = [], []
    for _ in range(3):
        site = Site(results)
        first.append(timed(partial(site.page, "")))
        polls.append(timed(partial(site.page, LIVE)))
    for name, seconds, most in (
        ("the first page", first, MOST_FIRST_SECONDS),
        ("a poll", polls, MOST_POLL_SECONDS),
    ):
        yield MeasuredLine(
            name=f"remem view with {runs} runs: CPU time for {name}",
            unit="s",
            ours=Sample.of(seconds),
            against="a limit",
            goal=Goal(most, "median"),
        )
