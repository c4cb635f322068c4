"""Measure the overhead of runner=ray for each table row: `python scripts/ray_overhead.py`.

With `--histories 1000` it runs that many short histories on 1, 2, 4 and 8 workers instead.
"""

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure.ray_efficiency import measure_efficiency
from measure.ray_overhead_parts import Overhead, measure

from remem.config.run_config import compose_config, run_config

LATENCY, IN_FLIGHT = 2.0, 8


@dataclass(frozen=True, slots=True)
class Row:
    """A run: its questions per history, calls, dollars, and parallel calls per history."""

    dataset: str
    method: str
    questions: tuple[int, ...]
    calls: int
    dollars: float
    in_flight: int = IN_FLIGHT


LOCOMO = (199, 105, 193, 260, 242, 158, 190, 239, 196, 204)
REALTALK = (70, 73, 71, 70, 76, 70, 72, 71, 70, 85)
TOT = (5,) * 560
"""The questions of each history; calls are assumed to be proportional to them."""
ROWS = (  # calls and dollars: docs/cost.md; Test of Time: remem estimate dataset=generated_tot
    Row("LoCoMo", "REMem-I", LOCOMO, 8_477, 7.79),
    Row("LoCoMo", "REMem-S", LOCOMO, 2_519, 2.17),
    Row("LoCoMo", "Full-Context", LOCOMO, 1_986, 16.64),
    Row("LoCoMo", "HippoRAG 2", LOCOMO, 4_505, 3.24),
    Row("LoCoMo", "Mem0", LOCOMO, 12_970, 7.73, 1),  # its messages wait for each other
    Row("LoCoMo", "Graphiti", LOCOMO, 4_883, 8.89, 1),
    Row("LoCoMo", "BM25", LOCOMO, 1_986, 0.83),
    Row("REALTALK", "REMem-I", REALTALK, 3_296, 3.40),
    Row("REALTALK", "REMem-S", REALTALK, 1_112, 1.34),
    Row("REALTALK", "Full-Context", REALTALK, 728, 8.16),
    Row("REALTALK", "HippoRAG 2", REALTALK, 1_840, 2.01),
    Row("REALTALK", "Mem0", REALTALK, 9_082, 6.16, 1),
    Row("REALTALK", "Graphiti", REALTALK, 2_752, 8.91, 1),
    Row("REALTALK", "BM25", REALTALK, 728, 0.33),
    Row("Test of Time", "REMem-I", TOT, 133_698, 32.23),
)


def main() -> None:
    """Print the figures of docs/cluster.md; overrides are such as runner.num_cpus=2."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, help="run histories instead")
    parser.add_argument("--questions", type=int, default=2, help="questions of each history")
    parser.add_argument("--workers", type=int, nargs="+", default=(1, 2, 4, 8))
    parser.add_argument("overrides", nargs="*")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.histories:
            _print_runs(chosen.histories, chosen.questions, chosen.workers, Path(folder))
        else:
            _print_overhead(chosen.overrides, folder)


def _print_runs(histories: int, questions: int, workers: Sequence[int], folder: Path) -> None:
    print("| workers | seconds | calls a second | efficiency | answered | dollars | books | load |")
    print("|--:|--:|--:|--:|--:|--:|---|--:|")
    for run in measure_efficiency(histories, questions, workers, folder):
        rate = run.server.calls / run.seconds
        print(
            f"| {run.workers} | {run.seconds:.0f} | {rate:.0f} | {run.ratio:.0%} | "
            f"{run.answered:,} | {run.dollars:.4f} | "
            f"{'equal' if run.is_exact else f'{run.server} {run.stored} {run.recorded}'} | "
            f"{os.getloadavg()[0]:.0f} |",
            flush=True,
        )


def _print_overhead(overrides: Sequence[str], folder: str) -> None:
    chosen = ["runner=ray", "llm=loopback-stub", "extractor=llm", f"paths.results={folder}"]
    found = measure(run_config(compose_config([*chosen, *overrides])))
    print(f"Ray and the keeper start in    {found.start:8.1f} s")
    print(f"a history's task               {1e3 * found.task:8.1f} ms")
    print(f"the keeper's part of a call    {1e3 * found.call:8.1f} ms (alone)")
    print(f"calls kept by all workers      {found.calls_per_second:8.0f} a second")
    print(f"processor time of the keeper   {1e3 * found.keeper_cpu:8.2f} ms a call")
    print(f"\nMinutes at {LATENCY:.0f} s a call, by workers:\n")
    print("| dataset | method | calls | dollars | 1 | 8 | 64 |\n|---|---|--:|--:|--:|--:|--:|")
    for row in ROWS:
        print(as_row(row.dataset, row.method, [row], found))
    print(
        as_row("**recollection**", "all rows", [row for row in ROWS if row.questions != TOT], found)
    )


def as_row(dataset: str, method: str, rows: Sequence[Row], found: Overhead) -> str:
    """Return a row of the table of times, for runs one after the other."""
    minutes = [sum(_minutes(found, row, workers) for row in rows) for workers in (1, 8, 64)]
    times = " | ".join(f"{minute:,.0f}" if minute >= 10 else f"{minute:.1f}" for minute in minutes)
    calls, dollars = sum(row.calls for row in rows), sum(row.dollars for row in rows)
    return f"| {dataset} | {method} | {calls:,} | {dollars:.2f} | {times} |"


def _minutes(found: Overhead, row: Row, workers: int) -> float:
    of_each = [row.calls * question / sum(row.questions) for question in row.questions]
    seconds = found.seconds(of_each, workers=workers, in_flight=row.in_flight, latency=LATENCY)
    return seconds / 60


if __name__ == "__main__":
    main()
