"""The soak test: a large number of questions with `remem run` and a failing endpoint.

The run is the command that users have, in a process of its own; its memory is read from /proc, its
times from the run's own timings.jsonl.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from measure.process_watch import Look, cpu_between, rss_about, watch
from measure.processes import environment
from remem.run.store import RECORDS, TIMINGS, read_manifest
from remem.serve.stub.faults import FaultPlan
from remem.serve.stub.stub import StubServer, StubSettings

FAULTS = ("429", "500", "cut")
FAILING = 0.05
LASTING = 0.001
"""Share of the calls that fail at every try of the first start; the resumed run repeats them."""

MOST_RSS_GROWTH = 0.05
MOST_P95_RATIO = 1.2
WINDOW = 100
"""Questions per window.

The p95 of a tenth is the median over its windows, because other work on the machine disturbs some
of them. The failing calls are the slowest 5%, so p95 is at their edge in each window.
"""

QUESTIONS_IN_ERROR = 3
"""The exit code of a run with failed questions."""

COMMAND = (sys.executable, "-c", "from remem.cli.main import main; main()", "run")
LINE = (
    "run.packages=[measure]",
    "dataset=generated_dialogues",
    "dataset.name=soak",
    "~dataset.build",
    "method=remem_s",
    "reader=direct",
    "llm=loopback-stub",
    "llm.build.endpoint.tries=3",
    "runner=threads",
    "convention.score.resamples=99",
)


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the run."""

    seconds: float
    answered: int
    errors: int
    faults: int
    looks: tuple[Look, ...]


@dataclass(frozen=True, slots=True)
class Soaked:
    """The result of the soak test."""

    questions: int
    first: Start
    resumed: Start
    rss_growth: float
    """Growth of the memory from a fifth of the questions to all, relative to the fifth."""
    p95_ratio: float
    """Ratio of the p95 of the last to the first tenth of the first start's questions."""
    cpu_ratio: float
    """The same ratio for the CPU time of a question.

    It has no goal. If p95 rises and this does not, something else kept the machine busy.
    """


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, and the measured value."""

    figure: str
    what: str
    value: float
    found: str
    wanted: str
    holds: bool


def goals(soaked: Soaked) -> tuple[Goal, ...]:
    """Return the goals with the measured values."""
    first, resumed, total = soaked.first, soaked.resumed, soaked.questions
    grown, ratio = soaked.rss_growth, soaked.p95_ratio
    return (
        Goal(
            "soak left to the resume",
            "left in error by the first start",
            first.errors,
            f"{first.errors:,}",
            "at least 1",
            first.errors > 0 and first.answered + first.errors == total,
        ),
        Goal(
            "soak answered",
            "answered after one resume",
            resumed.answered,
            f"{resumed.answered:,}",
            f"{total:,}",
            resumed.answered == total,
        ),
        Goal(
            "soak memory growth percent",
            "growth of memory after the first fifth",
            round(100 * grown, 1),
            f"{grown:+.1%}",
            f"< {MOST_RSS_GROWTH:.0%}",
            grown < MOST_RSS_GROWTH,
        ),
        Goal(
            "soak p95 ratio",
            "p95 of the last tenth, of the first's",
            round(ratio, 2),
            f"{ratio:.2f} x",
            f"<= {MOST_P95_RATIO} x",
            ratio <= MOST_P95_RATIO,
        ),
    )


def soak(questions: int, folder: Path) -> Soaked:
    """Answer the questions with a failing stub, resume once, and measure."""
    first = _start(questions, folder, LASTING)
    seconds = _seconds(_run_folder(folder))
    resumed = _start(questions, folder, 0.0)
    return Soaked(
        questions=questions,
        first=first,
        resumed=resumed,
        rss_growth=rss_growth(first.looks, questions),
        p95_ratio=p95_ratio(seconds, WINDOW),
        cpu_ratio=cpu_ratio(first.looks, questions),
    )


def rss_growth(looks: Sequence[Look], questions: int) -> float:
    """Return the growth of memory after a fifth of the questions, relative to that point."""
    then = rss_about(looks, questions / 5)
    return rss_about(looks, questions) / then - 1


def cpu_ratio(looks: Sequence[Look], questions: int) -> float:
    """Return the ratio of CPU time per question between the last and the first tenth."""
    tenth = questions / 10
    return cpu_between(looks, questions - tenth, questions) / cpu_between(looks, 0, tenth)


def p95_ratio(seconds: Sequence[float], window: int) -> float:
    """Return the ratio of the 95th percentile of the last tenth to that of the first tenth.

    Args:
        seconds: Of each question, in the order in which they were answered.
        window: How many questions a percentile is taken of; a tenth's is the median of them.
    """
    tenth = len(seconds) // 10
    return _p95(seconds[-tenth:], window) / _p95(seconds[:tenth], window)


def _p95(seconds: Sequence[float], window: int) -> float:
    windows = np.array_split(seconds, max(len(seconds) // window, 1))
    return median(float(np.percentile(part, 95)) for part in windows)


def _start(questions: int, folder: Path, lasting: float) -> Start:
    plan = FaultPlan(FAULTS, FAILING, lasting=lasting)
    with StubServer(StubSettings(faults=plan)) as server:
        benchmark = "{_target_: measure.soak_history.SoakHistory, seed: 7, events: 200, "
        command = [
            *COMMAND,
            *LINE,
            f"+dataset.build={benchmark}questions: {questions}}}",
            f"paths.results={folder}",
            f"llm.build.endpoint.base_url={server.base_url}",
        ]
        begun, complaints = time.perf_counter(), folder / "stderr.txt"
        with (
            complaints.open("wb") as stderr,
            subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=stderr, env=environment()
            ) as process,
        ):
            looks = tuple(watch(process, folder, f"runs/*/*/*/{RECORDS}"))
        seconds, faults = time.perf_counter() - begun, sum(server.counts.faults.values())
    if process.returncode not in (0, QUESTIONS_IN_ERROR):
        raise ValueError(
            f"the run ended with exit code {process.returncode}, expected 0 or "
            f"{QUESTIONS_IN_ERROR}: {complaints.read_text(encoding='utf-8').splitlines()[-1:]}"
        )
    manifest = read_manifest(_run_folder(folder))
    return Start(seconds, manifest.answered, manifest.errors, faults, looks)


def _run_folder(folder: Path) -> Path:
    return next(folder.glob("runs/*/*/*"))


def _seconds(run: Path) -> list[float]:
    lines = map(json.loads, (run / TIMINGS).read_bytes().splitlines())
    return [
        line["recall_seconds"] + line["read_seconds"] for line in lines if line["read_seconds"] > 0
    ]
