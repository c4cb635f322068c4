"""A run in a process of its own: no other run has a part in its peak of memory."""

from collections.abc import Sequence
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.llm.peak_memory import peak_rss_mib
from remem.run.experiment import run_experiment
from remem.run.store import open_run, read_manifest


def run_apart(overrides: Sequence[str]) -> None:
    """Run one configuration in a new process; what it raises is raised here."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        pool.submit(_run, tuple(overrides)).result()


def note_own_process(folder: Path) -> None:
    """Write into the manifest that this process did nothing but the run, and its peak of memory.

    Where another start helped, or one process makes the rows of a table, no peak is the run's.
    """
    if len(read_manifest(folder).started) == 1:
        with open_run(folder) as store:
            apart = {"own_process": True, "peak_rss_mib": peak_rss_mib()}
            store.write_manifest({**store.read_manifest(), **apart})


def _run(overrides: Sequence[str]) -> None:
    note_own_process(run_experiment(run_config(compose_config(overrides))).folder)
