"""Compare our HippoRAG 2 with the published package, with the same stubs for all models.

Processor time without that of these stubs, and peak memory; each in a process of its own, in turns.
REMEM_HIPPORAG_PYTHON names a Python that has the package.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import hipporag2_ours, hipporag2_theirs
from measure.hipporag2_measurement import Asked, Measurement
from measure.line import Goal, Growth, Line, Sample
from measure.processes import SCRIPTS

PYTHON = "REMEM_HIPPORAG_PYTHON"
PACKAGE, RELEASE = "hipporag", "2.0.0a4"
QUESTIONS = 64
BEST = 3
"""Number of top passages on which both implementations must agree."""
NOTES = {
    "HippoRAG 2: index": "every pair of phrases is compared",
    "HippoRAG 2: a query by itself": "every fact is scored, and every node walked over",
    f"HippoRAG 2: a query of {QUESTIONS} at once (theirs one by one)": "likewise",
}
"""Reasons why a time grows linearly with the passages, or faster."""
SINGLY, BATCHED, ADDED, MEMORY = 3.0, 12.0, 50.0, 3.0
GET = f"make hipporag2-package, then {PYTHON}=$PWD/.venv-hipporag2/bin/python"
CALL = (
    "import sys; from pathlib import Path; sys.path.append(sys.argv.pop(1)); "
    "from {module} import Asked, main; "
    "main(Asked.read(Path(sys.argv[1]))).write(Path(sys.argv[2]))"
)


@dataclass(frozen=True, slots=True)
class Size:
    """The number of passages, the number of rounds, and the goal for indexing, if there is one.

    Adding a passage takes the package as long as the whole index: it is asked of small ones alone.
    """

    passages: int
    rounds: int
    add: bool
    index_goal: float | None


SIZES = (Size(5000, 3, add=True, index_goal=10.0), Size(20_000, 1, add=False, index_goal=8.0))
QUICK = (Size(1000, 1, add=True, index_goal=None),)


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Measure both at each size, or only ours if the package is not installed."""
    sizes, python = QUICK if quick else SIZES, _their_python()
    measured = []
    for size in sizes:
        measured.append(list(_measured(size, python)))
        yield from measured[-1]
    if len(sizes) > 1:
        yield from _growth(sizes, measured)


def _measured(size: Size, python: str | None) -> Iterator[Line]:
    asked = Asked(size.passages, QUESTIONS, size.add)
    ours, theirs = [], []
    for _ in range(size.rounds):
        ours.append(run(sys.executable, hipporag2_ours.__name__, asked))
        if python:
            theirs.append(run(python, hipporag2_theirs.__name__, asked))
    yield from lines(size, ours, theirs)


def _growth(sizes: Sequence[Size], measured: Sequence[Sequence[Line]]) -> Iterator[Growth]:
    """Yield the growth of each line that all sizes have."""
    passages = tuple(size.passages for size in sizes)
    for same in zip(*measured, strict=False):  # only small ones are added to, which comes last
        medians = tuple(line.ours.median for line in same)
        name = same[0].name.replace("HippoRAG 2, ", "HippoRAG 2: ")
        yield Growth(name, same[0].unit, passages, medians, NOTES.get(name, ""))


def run(python: str, module: str, asked: Asked) -> Measurement:
    """Run a measuring module in a Python that finds remem after its own packages.

    Raises:
        ValueError: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("asked.json", "took.json")]
        asked.write(files[0])
        done = subprocess.run(
            [python, "-c", CALL.format(module=module), str(SCRIPTS), *map(str, files)],
            env=os.environ | {"PYTHONHASHSEED": "0", "TOKENIZERS_PARALLELISM": "false"},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"{module} ended with {done.returncode}: {done.stderr[-1000:]}")
        return Measurement.read(files[1])


def lines(size: Size, ours: Sequence[Measurement], theirs: Sequence[Measurement]) -> Iterator[Line]:
    """Yield the lines of a size."""
    note = f"{size.passages:,} passages, {_agreement(ours, theirs)}"

    def line(
        name: str, unit: str, taken: Sequence[float], peer: Sequence[float], bound: float | None
    ) -> Line:
        return Line(
            name=f"HippoRAG 2, {name}",
            unit=unit,
            ours=Sample.of(taken),
            against=f"{PACKAGE} {RELEASE}",
            peer=Sample.of(peer) if peer else None,
            times_less=True,
            goal=Goal(">=", bound) if bound and size.index_goal else None,
            note=note,
        )

    def of(take: Callable[[Measurement], Sequence[float]]) -> list[list[float]]:
        return [[each for took in side for each in take(took)] for side in (ours, theirs)]

    index, their_index = of(lambda took: [took.index])  # and written, by both
    yield line("index", "s", index, their_index, size.index_goal)
    peak, their_peak = of(lambda took: [took.peak_mib])
    yield line("peak memory", "MiB", peak, their_peak, MEMORY)
    singly, theirs_singly = of(lambda took: [1000 * each for each in took.queries])
    yield line("a query by itself", "ms", singly, theirs_singly, SINGLY)
    batched, _ = of(lambda took: [1000 * each for each in took.batched])
    name = f"a query of {QUESTIONS} at once (theirs one by one)"
    yield line(name, "ms", batched, theirs_singly, BATCHED)
    if size.add:
        added, theirs_added = of(lambda took: took.added)
        yield line("add a passage", "s", added, theirs_added, ADDED)


def _agreement(ours: Sequence[Measurement], theirs: Sequence[Measurement]) -> str:
    """Return for how many questions both find the same passages; speed alone would mean nothing."""
    if not theirs:
        return GET
    pairs = list(zip(ours[0].best, theirs[0].best, strict=True))
    same = sum(first[:BEST] == other[:BEST] for first, other in pairs)
    return f"the same first {BEST} for {same} of {len(pairs)} questions"


def _their_python() -> str | None:
    """Return the Python with the package, if there is one."""
    python = os.environ.get(PYTHON, "")
    code = f"import importlib.metadata as m; print(m.version({PACKAGE!r}))"
    if not Path(python).is_file():
        return None
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return python if done.stdout.strip() == RELEASE else None
