"""Run a configuration in its own process, so that its peak memory is not affected by other runs."""

from collections.abc import Sequence
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.llm.peak_memory import peak_rss_mib
from remem.run.experiment import run_experiment
from remem.run.store import open_run, read_manifest


def run_apart(overrides: Sequence[str]) -> None:
    """Run one configuration in a new process; re-raise its exceptions here."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        pool.submit(_run, tuple(overrides)).result()


def note_own_process(folder: Path) -> None:
    """Write into the manifest that this process executed only the run, and its peak memory.

    If a run took several starts, or shares its process with other runs, no peak is recorded.
    """
    if len(read_manifest(folder).started) == 1:
        with open_run(folder) as store:
            apart = {"own_process": True, "peak_rss_mib": peak_rss_mib()}
            store.write_manifest({**store.read_manifest(), **apart})


def _run(overrides: Sequence[str]) -> None:
    note_own_process(run_experiment(run_config(compose_config(overrides))).folder)
