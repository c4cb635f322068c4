"""Compare the overhead of REMem on a conversation with that of Mem0 and Graphiti.

CPU time of indexing and of recall, that of the stub of model and embedder left out: the same
conversation, questions and stub for all. Each runs in a process of its own, in turns. The newer
Graphiti runs in the Python of `make env NAME=graphiti-new`, or the one that
REMEM_GRAPHITI_NEW_PYTHON names.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median

from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.overhead_side import SpentOverhead, workload
from measure.processes import SCRIPTS

TIMES_LESS = 10.0
ROUNDS = 3
ALL = 1000
"""A number higher than that of the sessions and questions."""


FOUND_AFTER_ITS_OWN = (str(SCRIPTS), str(SCRIPTS.parent), sysconfig.get_path("purelib"))
"""Folders of modules that a peer's Python may lack."""
SIDE = (
    "import sys; sys.path += sys.argv.pop(1).splitlines(); "
    "from measure.overhead_side import main; main()"
)


@dataclass(frozen=True, slots=True)
class Peer:
    """A system by its name in `SYSTEMS`, the pinned packages that it needs, and how to get them.

    `environment` and `variable` say which Python has them, as for a baseline in its own
    environment; by default this one. It is measured `rounds` times.
    """

    system: str
    label: str
    packages: tuple[str, ...]
    get: str
    has_goals: bool = True
    rounds: int = ROUNDS
    environment: str = sys.prefix
    variable: str = ""

    @property
    def python(self) -> str:
        """Return the Python that has exactly these releases, or ""."""
        find = import_module("remem.apps.rivals.worker_environment").find_python
        try:
            candidates = {
                str(find(self.variable, self.environment, package, self.get))
                for package in self.packages
            }
        except ImportError:
            return ""
        return candidates.pop()


PEERS = (
    Peer("mem0", "Mem0 1.0.11", ("mem0ai==1.0.11",), "pip install 'mem0ai==1.0.11'"),
    Peer(
        "mem0-graph",
        "Mem0 1.0.11 with its graph",
        ("mem0ai==1.0.11", "kuzu==0.11.3", "rank-bm25==0.2.2"),
        "pip install '.[baselines]'",
        has_goals=False,  # it does all that Mem0 does, and more
        rounds=1,  # each takes over a minute, like those of the newer Graphiti
    ),
    Peer(
        "graphiti",
        "Graphiti 0.20.4",
        ("graphiti-core==0.20.4",),
        "pip install 'graphiti-core[kuzu]==0.20.4'",
    ),
    Peer(
        "graphiti-new",
        "Graphiti 0.31.1",
        ("graphiti-core==0.31.1",),
        "make env NAME=graphiti-new",
        rounds=1,
        environment=".venv-graphiti-new",
        variable="REMEM_GRAPHITI_NEW_PYTHON",
    ),
)


def measure(*, quick: bool) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Measure the whole conversation in turns, or three sessions of it once."""
    sessions, questions = (3, 20) if quick else (ALL, ALL)
    name, history, texts = workload(sessions, questions)
    pythons = {peer: peer.python for peer in PEERS}
    systems = ("remem", *(peer.system for peer in PEERS))
    spent: dict[str, list[SpentOverhead]] = {system: [] for system in systems}
    for number in range(1 if quick else ROUNDS):
        spent["remem"].append(_spent(sys.executable, "remem", sessions, questions))
        for peer, python in pythons.items():
            if python and number < peer.rounds:
                spent[peer.system].append(_spent(python, peer.system, sessions, questions))
    messages = sum(1 for _ in history.messages())
    size = f"{name}, {len(history.episodes)} sessions, {messages} messages, {len(texts)} questions"
    for peer in PEERS:
        whole = peer.has_goals and not quick  # peers slow down as it grows
        goal = Goal(">=", TIMES_LESS) if whole else None
        yield from _lines(peer, spent["remem"], spent[peer.system], size, goal)
    yield MeasuredLine(
        name="own CPU of a recall by the agent (REMem-I: 3 model calls, kept in the call store)",
        unit="ms",
        ours=Sample.of([_milliseconds(sample.by_agent) for sample in spent["remem"]]),
        note=f"{size}; no peer asks a model to recall",
    )


def _lines(
    peer: Peer,
    ours: Sequence[SpentOverhead],
    theirs: Sequence[SpentOverhead],
    size: str,
    goal: Goal | None,
) -> Iterator[MeasuredLine]:
    against = peer.label
    note = size if theirs else f"{size}; {peer.get}"
    yield MeasuredLine(
        name="own CPU of indexing",
        unit="s",
        ours=Sample.of([sample.index for sample in ours]),
        against=against,
        peer=Sample.of([sample.index for sample in theirs]) if theirs else None,
        times_less=True,
        goal=goal,
        note=note,
    )
    yield MeasuredLine(
        name=f"own CPU of indexing, per model call (ours: {_calls(ours)})",
        unit="ms",
        ours=Sample.of([_per_call(sample) for sample in ours]),
        against=f"{against} ({_calls(theirs)})" if theirs else against,
        peer=Sample.of([_per_call(sample) for sample in theirs]) if theirs else None,
        times_less=True,
        note=note,
    )
    searches = Sample.of([_milliseconds(sample.recalls) for sample in theirs]) if theirs else None
    yield MeasuredLine(
        name="own CPU of a recall, a search each (REMem-S)",
        unit="ms",
        ours=Sample.of([_milliseconds(sample.recalls) for sample in ours]),
        against=against,
        peer=searches,
        times_less=True,
        goal=goal,
        note=note,
    )
    yield MeasuredLine(
        name="peak memory of all that",
        unit="MiB",
        ours=Sample.of([sample.peak_mib for sample in ours]),
        against=against,
        peer=Sample.of([sample.peak_mib for sample in theirs]) if theirs else None,
        times_less=True,
        note=note,
    )


def _per_call(spent: SpentOverhead) -> float:
    return 1000 * spent.index / spent.index_calls


def _calls(spent: Sequence[SpentOverhead]) -> str:
    return f"{spent[0].index_calls:,} calls"


def _milliseconds(seconds: Sequence[float]) -> float:
    return 1000 * median(seconds)


def _spent(python: str, system: str, sessions: int, questions: int) -> SpentOverhead:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "spent.json")
        command = [python, "-c", SIDE, "\n".join(FOUND_AFTER_ITS_OWN), system]
        done = subprocess.run(
            [*command, str(sessions), str(questions), str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"{system} ended with {done.returncode}: {done.stderr[-1000:]}")
        content = json.loads(file.read_text(encoding="utf-8"))
    return SpentOverhead(**content)
