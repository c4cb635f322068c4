"""Apply named mutations one at a time and see whether a test notices each: `make mutants`.

The mutations are listed in scripts/mutations, each with the tests that cover what it changes. They
run in copies of the working tree in a temporary folder; the tree itself is never touched. A pass
that was killed goes on where it stopped, as long as the tree and the mutation stay as they are.

Why not mutmut or cosmic-ray: both change operators inside Python functions as they find them. This
list also changes YAML values, prompts and the paper's numbers, names what each change would mean,
and says which tests have to find it.

Exit codes: 0 all is well; 1 too many mutations survived, one is stale, or its tests could not be
run; 2 the list or the tests are broken before anything is mutated; 130 interrupted.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from mutation_runs import (
    BadListError,
    Copy,
    Log,
    Mutation,
    Result,
    Tree,
    read_mutations,
    tested,
    tested_unchanged,
)

ROOT = Path(__file__).parent.parent
LISTS = Path(__file__).parent / "mutations"
BASELINE_SECONDS = 600.0
"""Maximum seconds of any selection of tests; a longer one hangs even without a mutation."""
SLACK_SECONDS, SLOWER = 30.0, 5.0
"""Extra seconds, and the factor, that a mutation's tests may take compared with unmutated code."""

Task = TypeVar("Task")
Baselines = dict[tuple[str, ...], Result]


@dataclass(frozen=True, slots=True)
class Pass:
    """The settings of a pass."""

    tree: Tree
    copies: tuple[Copy, ...]
    log: Log


def main() -> None:
    """Run a pass and report it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="*", help="parts of areas, files or names (all)")
    parser.add_argument("--workers", type=int, default=1, help="copies tested at once")
    parser.add_argument(
        "--seed", type=int, default=0, help="the seed of the order and of the sample"
    )
    parser.add_argument("--sample", type=int, help="the number of mutations to draw at random")
    parser.add_argument("--allow", type=int, default=3, help="the number that may survive (3)")
    parser.add_argument("--check", action="store_true", help="only check that all can be applied")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree (this one)")
    parser.add_argument("--lists", type=Path, default=LISTS, help="the folder of the lists")
    parser.add_argument(
        "--kept", type=Path, help="the folder of log and report (results/cache/mutants)"
    )
    chosen = parser.parse_args()
    try:
        mutations = _chosen(read_mutations(chosen.lists), chosen.only, chosen.seed, chosen.sample)
    except BadListError as error:
        print(f"error: {error}")
        sys.exit(2)
    faults = {mutation.name: mutation.fault(chosen.root) for mutation in mutations}
    stale = {name: fault for name, fault in faults.items() if fault}
    for name, fault in stale.items():
        print(f"stale: {name}: {fault}", flush=True)
    usable = [mutation for mutation in mutations if mutation.name not in stale]
    if chosen.check or not usable:
        print(f"{len(usable)} of {len(mutations)} mutations can be applied")
        sys.exit(bool(stale) or not usable)
    kept = chosen.kept or chosen.root / "results" / "cache" / "mutants"
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        sys.exit(_run(usable, chosen, kept, Path(folder), stale))


def _chosen(
    mutations: Sequence[Mutation], only: Sequence[str], seed: int, sample: int | None
) -> list[Mutation]:
    """Return the selected mutations in an order that depends only on the seed."""
    found = [
        mutation
        for mutation in mutations
        if any(part in f"{mutation.area} {mutation.file} {mutation.name}" for part in only or [""])
    ]
    if not found:
        raise BadListError(f"no mutation has {' or '.join(only) or 'a name'} in its name")
    random.Random(seed).shuffle(found)
    return found[:sample]


def _run(
    mutations: Sequence[Mutation],
    chosen: argparse.Namespace,
    kept: Path,
    folder: Path,
    stale: dict[str, str],
) -> int:
    begun = time.monotonic()
    copies = tuple(
        Copy(chosen.root, folder / str(number)) for number in range(max(1, chosen.workers))
    )
    if not copies[0].imported():
        print("error: the tests import another remem than the copy that is mutated")
        return 2
    run = Pass(Tree(chosen.root), copies, Log(kept / "log.jsonl"))
    try:
        baselines = _baselines(run, mutations)
        broken = [baseline for baseline in baselines.items() if baseline[1].outcome != "passed"]
        for tests, result in broken:
            print(f"error: without any mutation {' '.join(tests)} fails: {result.killer}")
        if broken:
            return 2
        results = _mutated(run, mutations, baselines)
    except KeyboardInterrupt:
        print("interrupted; run the same command to continue")
        return 130
    report = _report(mutations, results, stale, time.monotonic() - begun)
    (kept / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"written: {kept / 'report.json'}")
    outcomes = Counter(result.outcome for result in results.values())
    return int(bool(stale or outcomes["error"]) or outcomes["survived"] > chosen.allow)


def _baselines(run: Pass, mutations: Sequence[Mutation]) -> Baselines:
    """Run every selection of tests once without a mutation."""
    selections = list(dict.fromkeys(mutation.tests for mutation in mutations))

    def baseline(copy: Copy, tests: tuple[str, ...]) -> Result:
        key = run.tree.key(tests, "unchanged")
        known = run.log.find(key)
        return known or run.log.add(tested_unchanged(copy, tests, key, BASELINE_SECONDS))

    found: Baselines = {}
    for tests, result in _in_copies(run, selections, baseline):
        found[tests] = result
        print(f"{len(found)}/{len(selections)} unchanged: {result.outcome}", end="\r", flush=True)
    print()
    return found


def _mutated(
    run: Pass, mutations: Sequence[Mutation], baselines: Baselines
) -> dict[Mutation, Result]:
    """Test every mutation, and print each result at once."""

    def mutated(copy: Copy, mutation: Mutation) -> Result:
        key = run.tree.key(mutation.tests, mutation.file, mutation.old, mutation.new)
        if known := run.log.find(key):
            return known
        timeout = SLACK_SECONDS + SLOWER * baselines[mutation.tests].seconds
        return run.log.add(tested(copy, mutation, key, timeout))

    results: dict[Mutation, Result] = {}
    print("| # | area | mutation | outcome | killed by | seconds |\n|--:|---|---|---|---|--:|")
    for mutation, result in _in_copies(run, mutations, mutated):
        results[mutation] = result
        row = (len(results), mutation.area, mutation.name, result.outcome, result.killer)
        print("|", *(f"{cell} |" for cell in (*row, f"{result.seconds:.1f}")), flush=True)
    return results


def _in_copies(
    run: Pass, tasks: Sequence[Task], work: Callable[[Copy, Task], Result]
) -> Iterable[tuple[Task, Result]]:
    """Yield each task with its result when it ends; each copy runs one task at a time."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in run.copies:
        free.put(copy)

    def worked(task: Task) -> Result:
        copy = free.get()
        try:
            return work(copy, task)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(run.copies)) as pool:
        task_of = {pool.submit(worked, task): task for task in tasks}
        try:
            for done in as_completed(task_of):
                yield task_of[done], done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in run.copies:
                with suppress(ProcessLookupError):
                    copy.stop()


def _report(
    mutations: Sequence[Mutation],
    results: dict[Mutation, Result],
    stale: dict[str, str],
    seconds: float,
) -> dict[str, object]:
    """Print the totals and the surviving mutations; return everything as JSON."""
    counts = Counter((mutation.area, result.outcome) for mutation, result in results.items())
    print("\n| area | applied | killed | survived |\n|---|--:|--:|--:|")
    for area in sorted({mutation.area for mutation in mutations}):
        applied = sum(mutation.area == area for mutation in mutations)
        print(f"| {area} | {applied} | {counts[area, 'killed']} | {counts[area, 'survived']} |")
    outcomes = Counter(result.outcome for result in results.values())
    tested_seconds = sum(result.seconds for result in results.values())
    for mutation, result in results.items():
        if result.outcome != "killed":
            print(f"{result.outcome}: {mutation.name} ({mutation.file}) {result.killer}")
    print(
        f"{len(results)} applied, {outcomes['killed']} killed, {outcomes['survived']} survived, "
        f"{outcomes['error']} not tested, {len(stale)} stale; {seconds / 60:.1f} minutes"
    )
    listed = [
        {**asdict(mutation), **asdict(result)}
        for mutation, result in sorted(
            results.items(), key=lambda item: (item[0].area, item[0].name)
        )
    ]
    return {
        "applied": len(results),
        "killed": outcomes["killed"],
        "survived": outcomes["survived"],
        "stale": stale,
        "wall_seconds": round(seconds, 1),
        "test_seconds": round(tested_seconds, 1),
        "mutations": listed,
    }


if __name__ == "__main__":
    main()
