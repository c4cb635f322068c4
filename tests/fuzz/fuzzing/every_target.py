"""All fuzz targets, and how to fuzz them on all processors."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from fuzzing.bundle_targets import TARGETS as BUNDLES
from fuzzing.call_targets import TARGETS as CALLS
from fuzzing.configuration_targets import TARGETS as SETTINGS
from fuzzing.data_targets import TARGETS as DATA
from fuzzing.harness import Outcome, Target, fuzz, prepare_process
from fuzzing.memory_targets import TARGETS as MEMORIES
from fuzzing.replay_targets import TARGETS as REPLAYS
from fuzzing.reply_targets import TARGETS as REPLIES
from fuzzing.run_targets import TARGETS as RUNS
from fuzzing.server_targets import TARGETS as REQUESTS
from fuzzing.stranger_targets import TARGETS as STRANGERS
from fuzzing.time_targets import TARGETS as TIMES

APPS = Path(__file__).parents[2] / "apps"


def targets_of_apps() -> Iterator[Target]:
    """Yield the targets of the apps, which are in tests/apps/<name>/fuzz_targets.py."""
    for file in sorted(APPS.glob("*/fuzz_targets.py")):
        name = f"fuzz_targets_of_{file.parent.name}"
        spec = spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.TARGETS


EVERY = (
    DATA,
    TIMES,
    REPLIES,
    CALLS,
    MEMORIES,
    RUNS,
    REPLAYS,
    STRANGERS,
    SETTINGS,
    BUNDLES,
    REQUESTS,
    tuple(targets_of_apps()),
)
TARGETS: dict[str, Target] = {target.name: target for targets in EVERY for target in targets}
PARTS = 20
"""A target is fuzzed in so many parts, so that all processors are busy to its end."""


def fuzz_all(names: list[str], inputs: int, seed: int, keep: Path) -> Iterator[Outcome]:
    """Fuzz the targets one after the other and yield the outcome of each."""
    part = -(-inputs // PARTS)
    numbers = [range(first, min(first + part, inputs)) for first in range(0, inputs, part)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context, initializer=prepare_process) as pool:
        for name in names:
            outcome = Outcome(name)
            for item in pool.map(_fuzz, [(name, seed, each, keep) for each in numbers]):
                outcome.add(item)
            yield outcome


def _fuzz(asked: tuple[str, int, range, Path]) -> Outcome:
    name, seed, numbers, keep = asked
    return fuzz(TARGETS[name], seed, numbers, keep)
