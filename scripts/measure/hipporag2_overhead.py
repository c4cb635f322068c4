"""Compare our HippoRAG 2 with the published package, with the same stubs for all models.

CPU time without that of these stubs, and peak memory; each in a process of its own, in turns.
REMEM_HIPPORAG_PYTHON names a Python that has the package.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from measure import hipporag2_ours, hipporag2_theirs
from measure.hipporag2_measurement import HippoRagMeasurement, MeasuredQuestion
from measure.hipporag2_workloads import QUESTIONS, Goals, HippoRagWorkload, dialogues, generated
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.processes import SCRIPTS

PYTHON = "REMEM_HIPPORAG_PYTHON"
PACKAGE, RELEASE = "hipporag", "2.0.0a4"
BEST = 3
"""Number of top passages on which both implementations must agree."""
AT_ONCE = f"a query of {QUESTIONS} at once (theirs one by one)"
NOTES = {
    "HippoRAG 2: index": "every pair of phrases is compared",
    "HippoRAG 2: a query by itself": "every fact is scored, and every node walked over",
    f"HippoRAG 2: {AT_ONCE}": "likewise",
    "HippoRAG 2: add a passage": "all is written again",
}
"""Reasons why a time grows linearly with the passages, or faster."""
SIZES = (
    partial(generated, 5000, 3, Goals(index=10, memory=3, singly=3, batched=12, added=50)),
    partial(generated, 20_000, 1, Goals(index=8, memory=3, singly=3, batched=12, added=50)),
)
LOCOMO = partial(dialogues, 10, Goals(index=10, memory=3, singly=2, batched=5))
QUICK = (partial(generated, 1000), partial(dialogues, 1))
GET = f"make env NAME=hipporag2, then {PYTHON}=$PWD/.venv-hipporag2/bin/python"
CALL = (
    "import sys; from pathlib import Path; sys.path.append(sys.argv.pop(1)); "
    "from {module} import Asked, main; "
    "main(Asked.read(Path(sys.argv[1]))).write(Path(sys.argv[2]))"
)


def measure(*, quick: bool) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Measure both with each workload, or only ours if the package is not installed."""
    python = _their_python()
    if quick:
        for make in QUICK:
            yield from _measured(make(), python)
        return
    measured: dict[int, list[MeasuredLine]] = {}
    for size in SIZES:
        workload = size()
        measured[workload.passages] = list(_measured(workload, python))
        yield from measured[workload.passages]
    yield from _growth(measured)
    yield from _measured(LOCOMO(), python)


def _measured(workload: HippoRagWorkload, python: str | None) -> Iterator[MeasuredLine]:
    ours, theirs = [], []
    for _ in range(workload.rounds):
        ours.append(run(sys.executable, hipporag2_ours.__name__, workload.asked))
        if python:
            theirs.append(run(python, hipporag2_theirs.__name__, workload.asked))
    yield from lines(workload, ours, theirs)


def _growth(measured: Mapping[int, Sequence[MeasuredLine]]) -> Iterator[MemoryGrowth]:
    """Yield the growth of each line over the number of passages."""
    for same in zip(*measured.values(), strict=True):
        medians = tuple(line.ours.median for line in same)
        name = same[0].name.replace("HippoRAG 2, ", "HippoRAG 2: ")
        yield MemoryGrowth(name, same[0].unit, tuple(measured), medians, NOTES.get(name, ""))


def run(python: str, module: str, measured: MeasuredQuestion) -> HippoRagMeasurement:
    """Run a measuring module in a Python that finds remem after its own packages.

    Raises:
        ValueError: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("asked.json", "took.json")]
        measured.write(files[0])
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
        return HippoRagMeasurement.read(files[1])


def lines(
    workload: HippoRagWorkload,
    ours: Sequence[HippoRagMeasurement],
    theirs: Sequence[HippoRagMeasurement],
) -> Iterator[MeasuredLine]:
    """Yield the lines of a workload."""
    note = f"{workload.what}, {_agreement(ours, theirs)}"
    goals = workload.goals

    def line(
        name: str, unit: str, taken: Sequence[float], peer: Sequence[float], bound: float | None
    ) -> MeasuredLine:
        return MeasuredLine(
            name=f"HippoRAG 2, {name}",
            unit=unit,
            ours=Sample.of(taken),
            against=f"{PACKAGE} {RELEASE}",
            peer=Sample.of(peer) if peer else None,
            times_less=True,
            goal=Goal(">=", bound) if bound else None,
            note=note,
        )

    def of(take: Callable[[HippoRagMeasurement], Sequence[float]]) -> list[list[float]]:
        return [[each for took in side for each in take(took)] for side in (ours, theirs)]

    index, their_index = of(lambda took: [took.index])  # and written, by both
    yield line("index", "s", index, their_index, goals.index)
    peak, their_peak = of(lambda took: [took.peak_mib])
    yield line("peak memory", "MiB", peak, their_peak, goals.memory)
    singly, theirs_singly = of(lambda took: [1000 * each for each in took.queries])
    yield line("a query by itself", "ms", singly, theirs_singly, goals.singly)
    batched, _ = of(lambda took: [1000 * each for each in took.batched])
    yield line(AT_ONCE, "ms", batched, theirs_singly, goals.batched)
    added, theirs_added = of(lambda took: took.added)
    if added:
        yield line("add a passage", "s", added, theirs_added, goals.added)


def _agreement(ours: Sequence[HippoRagMeasurement], theirs: Sequence[HippoRagMeasurement]) -> str:
    """Return for how many questions both find the same passages; speed alone would mean nothing."""
    if not theirs:
        return GET
    pairs = list(zip(ours[0].best, theirs[0].best, strict=True))
    same = sum(first[:BEST] == other[:BEST] for first, other in pairs)
    return f"the same first {BEST} for {same:,} of {len(pairs):,} questions"


def _their_python() -> str | None:
    """Return the Python with the package, if there is one."""
    python = os.environ.get(PYTHON, "")
    code = f"import importlib.metadata as m; print(m.version({PACKAGE!r}))"
    if not Path(python).is_file():
        return None
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return python if done.stdout.strip() == RELEASE else None
