"""Compare the overhead of REMem on a conversation with that of Mem0 and Graphiti.

Processor time of indexing and of recall, that of the stub of model and embedder left out: the same
conversation, questions and stub for all. Each runs in a process of its own, in turns.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from measure.line import Goal, Growth, Line, Sample
from measure.overhead_side import Spent, workload
from measure.processes import environment

TIMES_LESS = 10.0
ROUNDS = 3
ALL = 1000
"""A number higher than that of the sessions and questions."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A system by its name in `SYSTEMS`, and its release."""

    system: str
    label: str
    package: str
    release: str

    @property
    def installed(self) -> bool:
        """Return True if exactly this release is installed."""
        try:
            return version(self.package.partition("[")[0]) == self.release
        except PackageNotFoundError:
            return False


PEERS = (
    Peer("mem0", "Mem0", "mem0ai", "1.0.11"),
    Peer("graphiti", "Graphiti", "graphiti-core[kuzu]", "0.20.4"),
)


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Measure the whole conversation in turns, or three sessions of it once."""
    sessions, questions = (3, 20) if quick else (ALL, ALL)
    name, history, asked = workload(sessions, questions)
    there = [peer for peer in PEERS if peer.installed]
    systems = ["remem", *(peer.system for peer in there)]
    spent: dict[str, list[Spent]] = {system: [] for system in systems}
    for _ in range(1 if quick else ROUNDS):
        for system in systems:
            spent[system].append(_spent(system, sessions, questions))
    messages = sum(1 for _ in history.messages())
    size = f"{name}, {len(history.episodes)} sessions, {messages} messages, {len(asked)} questions"
    for peer in PEERS:
        goal = None if quick else Goal(">=", TIMES_LESS)  # peers slow down as it grows
        yield from _lines(peer, spent["remem"], spent.get(peer.system, []), size, goal)
    yield Line(
        name="own CPU of a recall by the agent (REMem-I: 3 model calls, kept in the call store)",
        unit="ms",
        ours=Sample.of([_milliseconds(sample.by_agent) for sample in spent["remem"]]),
        note=f"{size}; no peer asks a model to recall",
    )


def _lines(
    peer: Peer, ours: Sequence[Spent], theirs: Sequence[Spent], size: str, goal: Goal | None
) -> Iterator[Line]:
    against = f"{peer.label} {peer.release}"
    note = size if theirs else f"{size}; pip install '{peer.package}=={peer.release}'"
    yield Line(
        name="own CPU of indexing",
        unit="s",
        ours=Sample.of([sample.index for sample in ours]),
        against=against,
        peer=Sample.of([sample.index for sample in theirs]) if theirs else None,
        times_less=True,
        goal=goal,
        note=note,
    )
    yield Line(
        name=f"own CPU of indexing, per model call (ours: {_calls(ours)})",
        unit="ms",
        ours=Sample.of([_per_call(sample) for sample in ours]),
        against=f"{against} ({_calls(theirs)})" if theirs else against,
        peer=Sample.of([_per_call(sample) for sample in theirs]) if theirs else None,
        times_less=True,
        note=note,
    )
    searches = Sample.of([_milliseconds(sample.recalls) for sample in theirs]) if theirs else None
    yield Line(
        name="own CPU of a recall, a search each (REMem-S)",
        unit="ms",
        ours=Sample.of([_milliseconds(sample.recalls) for sample in ours]),
        against=against,
        peer=searches,
        times_less=True,
        goal=goal,
        note=note,
    )
    yield Line(
        name="peak memory of all that",
        unit="MiB",
        ours=Sample.of([sample.peak_mib for sample in ours]),
        against=against,
        peer=Sample.of([sample.peak_mib for sample in theirs]) if theirs else None,
        times_less=True,
        note=note,
    )


def _per_call(spent: Spent) -> float:
    return 1000 * spent.index / spent.index_calls


def _calls(spent: Sequence[Spent]) -> str:
    return f"{spent[0].index_calls:,} calls"


def _milliseconds(seconds: Sequence[float]) -> float:
    return 1000 * median(seconds)


def _spent(system: str, sessions: int, questions: int) -> Spent:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "spent.json")
        command = [sys.executable, "-m", "measure.overhead_side", system]
        done = subprocess.run(
            [*command, str(sessions), str(questions), str(file)],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"{system} ended with {done.returncode}: {done.stderr[-1000:]}")
        told = json.loads(file.read_text(encoding="utf-8"))
    return Spent(**told)
