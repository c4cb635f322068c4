"""Gets the prompts of others that conf/ knows of, for whoever wants the paper's numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from rich.console import Console

from remem.config import compose_config
from remem.data_files.fetch import fetch_set
from remem.data_files.notes import UNPINNED, DatasetNotes
from remem.instantiation import UsageError

SOURCES = {"released": ("prompts", "released"), "mem0-judge": ("judge", "mem0")}
"""The group and the option of conf/ whose `source` says where the prompts are."""


def fetch_prompts(name: str, overrides: Sequence[str], console: Console) -> None:
    """Fetch what is lacking of these prompts; what is there already must have its sum.

    Raises:
        FetchError: A file is lacking; a WrongFileError if it is not the one expected.
    """
    if name not in SOURCES:
        raise UsageError(f"there are no prompts {name!r} to fetch; known are {', '.join(SOURCES)}")
    group, option = SOURCES[name]
    chosen = compose_config([f"{group}={option}", *overrides])[group].source
    source: Any = OmegaConf.to_container(chosen, resolve=True)
    folder, files = Path(source["folder"]), list(source["files"].values())
    notes = DatasetNotes(
        name=folder.name,
        licence=source["licence"],
        note=f"use them with {group}={option}",
        sums={file: source["sums"].get(file, UNPINNED) for file in files},
        urls={file: f"{source['address']}/{file}" for file in files},
        loadings=(),
    )
    console.print(f"{folder}: licence: {notes.licence}; {notes.note}", markup=False)
    for line in fetch_set(notes, folder.parent, console):
        console.print(f"  {line}", markup=False, highlight=False)
