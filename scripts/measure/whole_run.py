"""Compare a whole run of REMem-I on LoCoMo with the same calls in a plain loop.

Both send their calls to one stub on the loopback interface. The run is timed from start to end,
including imports, indexing and scoring. The bare loop knows all calls beforehand and is timed from
its first call to its last reply.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from measure import bare_loop
from measure.line import Goal, MeasuredLine, Sample
from remem.run.store import read_manifest
from remem.serve.stub.stub import StubServer, StubSettings

IN_FLIGHT = 64
FAST, SLOW = 0.05, 0.5
"""Seconds per call."""
MOST_OF_BARE, MOST_OF_LEAST, MOST_MIB = 1.5, 1.15, 280.0
REPEATS = 3
WHOLE = "LoCoMo"
COMMAND = (sys.executable, "-c", "from remem.cli.main import main; main()", "run")
LINE = (
    *("method=remem_i", "planner=llm", "extractor=llm", "reader=direct", "llm=loopback-stub"),
    *("runner=threads", f"runner.workers={IN_FLIGHT}"),
    f"llm.build.endpoint.limits.in_flight={IN_FLIGHT}",
)
GENERATED = (
    *("dataset=generated_dialogues", "dataset.build.sessions=27"),
    "dataset.build.questions_per_session=8",
)


@dataclass(frozen=True, slots=True)
class Ran:
    """The measurements of a run."""

    seconds: float
    calls: int
    questions: int
    peak_mib: float
    store: Path

    @property
    def size(self) -> str:
        """Return the number of questions and calls as text."""
        return f"{self.questions:,} questions, {self.calls:,} calls, {IN_FLIGHT} in flight"


def measure(*, quick: bool) -> Iterator[MeasuredLine]:
    """Measure runs on LoCoMo, or if `quick` on its first conversation, at both latencies."""
    dataset, name = _dataset()
    chosen = (*dataset, "run.histories=1") if quick else dataset
    place = Path(tempfile.mkdtemp(prefix="bench-run-"))
    folder = place / "results"
    try:
        yield from _beside_bare(chosen, name, folder, 1 if quick else REPEATS, whole=not quick)
        yield from _beside_least(chosen, name, folder, whole=not quick)
    finally:
        shutil.rmtree(place)


def run_once(overrides: tuple[str, ...], base_url: str, folder: Path) -> Ran:
    """Run in a new process, without any caches of an earlier run.

    Raises:
        ValueError: The run failed, or some of its questions did.
    """
    shutil.rmtree(folder, ignore_errors=True)
    where = (f"paths.results={folder}", f"llm.build.endpoint.base_url={base_url}")
    begun = time.perf_counter()
    done = subprocess.run(
        [*COMMAND, *LINE, *overrides, *where], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise ValueError(f"the run ended with {done.returncode}: {done.stderr[-1000:]}")
    manifest = read_manifest(next(folder.glob("runs/*/*/*")))
    store = folder / "cache" / "calls.sqlite"
    return Ran(seconds, _calls(store), manifest.answered, manifest.peak_rss_mib, store)


def replay_once(ran: Ran, base_url: str) -> float:
    """Repeat the calls of a run in a plain loop in its own process; return the seconds."""
    command = [sys.executable, bare_loop.__file__, str(ran.store), base_url, str(IN_FLIGHT)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _beside_bare(
    overrides: tuple[str, ...], name: str, folder: Path, repeats: int, *, whole: bool
) -> Iterator[MeasuredLine]:
    runs, bare = [], []
    with StubServer(StubSettings(latency_seconds=FAST)) as server:
        for _ in range(repeats):
            runs.append(run_once(overrides, server.base_url, folder))
            bare.append(replay_once(runs[-1], server.base_url))
    yield MeasuredLine(
        name=f"{name}, a whole run at {1000 * FAST:g} ms a call",
        unit="s",
        ours=Sample.of([ran.seconds for ran in runs]),
        against=f"the same calls by a bare loop of openai {version('openai')}",
        peer=Sample.of(bare),
        goal=Goal(MOST_OF_BARE) if whole else None,
        note=runs[0].size,
    )
    yield MeasuredLine(
        name=f"{name}, peak memory of the run",
        unit="MiB",
        ours=Sample.of([ran.peak_mib for ran in runs]),
        goal=Goal(MOST_MIB, "median"),
        note=runs[0].size,
    )


def _beside_least(
    overrides: tuple[str, ...], name: str, folder: Path, *, whole: bool
) -> Iterator[MeasuredLine]:
    with StubServer(StubSettings(latency_seconds=SLOW)) as server:
        ran = run_once(overrides, server.base_url, folder)
    yield MeasuredLine(
        name=f"{name}, a whole run at {1000 * SLOW:g} ms a call",
        unit="s",
        ours=Sample.of([ran.seconds]),
        against="calls x latency / in flight",
        peer=Sample.of([ran.calls * SLOW / IN_FLIGHT]),
        goal=Goal(MOST_OF_LEAST) if whole else None,
        note=ran.size if whole else f"{ran.size}; one conversation ends in a half-empty wave",
    )


def _dataset() -> tuple[tuple[str, ...], str]:
    """Return the overrides and the name of LoCoMo, or of dialogues of its size if it is missing."""
    data = os.environ.get("REMEM_DATA", "")
    if data and any(Path(data).glob("locomo/locomo10.json*")):
        return ("dataset=locomo",), WHOLE
    return GENERATED, "generated dialogues"


def _calls(store: Path) -> int:
    import sqlite3

    with sqlite3.connect(store) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM calls").fetchall()
    return int(count)
