"""Download prompts of other projects that conf/ lists, for reproducing the paper's numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from omegaconf import OmegaConf
from rich.console import Console

from remem.benchmarks.files.fetch import fetch_sets
from remem.benchmarks.files.notes import UNPINNED, DatasetNotes
from remem.config.run_config import compose_config
from remem.config.suggestions import either
from remem.errors import UsageError

SOURCES = {
    "released": ("prompts", "released"),
    "mem0-judge": ("judge", "mem0"),
    "beam-judge": ("judge", "beam_official"),
    "longmemeval-judge": ("judge", "longmemeval_official"),
    "locomo-plus-judge": ("judge", "locomo_plus_official"),
    "personamem": ("prompts", "personamem"),
}
"""The group and option of conf/ whose `source` has the address of the prompts."""


def fetch_prompts(name: str, overrides: Sequence[str], console: Console) -> None:
    """Download these prompts if they are missing; verify those that exist.

    Raises:
        FetchError: A file is missing; WrongFileError if a file has the wrong checksum.
    """
    if name not in SOURCES:
        raise UsageError(f"unknown prompts {name!r}; choose {either(SOURCES)}")
    group, option = SOURCES[name]
    chosen = compose_config([f"{group}={option}", *overrides])[group].source
    source: Any = OmegaConf.to_container(chosen, resolve=True)
    folder = Path(source["folder"])
    notes = [_notes(folder, source["sums"], **origin) for origin in source["origins"].values()]
    console.print(f"use these prompts with {group}={option}", markup=False, highlight=False)
    fetch_sets(notes, folder.parent, console)


def _notes(
    folder: Path, sums: Mapping[str, str], licence: str, address: str, files: Sequence[str]
) -> DatasetNotes:
    """Return the notes on the files of one origin; all origins share a folder."""
    names = {PurePosixPath(file).name: file for file in files}
    return DatasetNotes(
        name=folder.name,
        licence=licence,
        note=f"from {address}",
        sums={name: sums.get(name, UNPINNED) for name in names},
        urls={name: f"{address}/{file}" for name, file in names.items()},
        loadings=(),
    )
