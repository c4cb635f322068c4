"""Store finished tables with the checksums of their sources, to show them again at once.

A table is made again if one of its sources has changed: its plan, its overrides, the code, a file
in conf, the paper's numbers, the installed packages, the data, or a file of one of its runs.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sysconfig import get_path

from remem.config.conf_files import all_conf_files
from remem.config.config_dir import TRUST
from remem.files.adapters import adapter, parsed
from remem.files.disk import write_whole
from remem.files.opened import file_sum, read_file
from remem.files.shipped import code_sum
from remem.paper.layout import paper_folder
from remem.tables.notes import BlockCosts
from remem.tables.table import Table

NOT_KEPT = ("run.packages", "+score", "score", "hydra.searchpath", TRUST)
"""Prefixes of overrides that name the user's code or files; a table with one is not kept."""


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table, the costs of its runs, and the checksums of its source files and its own files.

    `runs` maps the folder of each run, relative to the results, to its checksum; "" if the folder
    does not exist. `files` maps the name of each file of the table to its checksum.
    """

    depends_on: str
    table: Table
    costs: tuple[BlockCosts, ...]
    runs: Mapping[str, str]
    files: Mapping[str, str]

    def files_in(self, folder: Path) -> tuple[Path, ...]:
        """Return the table's files in a folder; empty if any file is missing or was changed."""
        paths = tuple(folder / name for name in self.files)
        unchanged = all(_file_sum(path) == self.files[path.name] for path in paths)
        return paths if unchanged else ()


@dataclass(frozen=True, slots=True)
class TableKeeper:
    """Stores one table in a file in the results folder."""

    path: Path
    depends_on: str
    results: Path

    @staticmethod
    def of(request: object, folders: Sequence[Path], results: Path, name: str) -> "TableKeeper":
        """Return the keeper of a table.

        Args:
            request: The plan of the table, its overrides, and which of its rows may be run.
            folders: The folders of the table's other sources, such as data.
            results: The folder of the runs.
            name: The name of the table, including its overrides.
        """
        path = results / "cache" / "tables" / f"{name}.json"
        return TableKeeper(path, dependencies(request, folders), results)

    def read(self) -> KeptTable | None:
        """Return the stored table; None if it does not exist, or one of its sources has changed."""
        try:
            kept_table = parsed(KeptTable, read_file(self.path, root=self.path.parent))
        except (OSError, ValueError):  # there is none, or it was written by another version
            return None
        if kept_table.depends_on != self.depends_on:
            return None
        unchanged = kept_table.runs == run_sums(kept_table.runs, self.results)
        return kept_table if unchanged else None

    def keep(
        self,
        table: Table,
        costs: Sequence[BlockCosts],
        runs: Iterable[str],
        files: Sequence[Path],
    ) -> None:
        """Write the table with the checksums of its runs and of its files."""
        sums = run_sums(filter(None, runs), self.results)
        file_sums = {path.name: _file_sum(path) for path in files}
        kept_table = KeptTable(self.depends_on, table, tuple(costs), sums, file_sums)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, adapter(KeptTable).dump_json(kept_table))


def is_kept(overrides: Sequence[str]) -> bool:
    """Return whether to store a table; False if an override names the user's code or files.

    Changed files are noticed only in the folders of `paths`. Therefore a table is not stored if any
    other override names a path.
    """
    return not any(
        override.startswith(NOT_KEPT) or ("/" in override and not override.startswith("paths."))
        for override in overrides
    )


def run_sums(runs: Iterable[str], results: Path) -> dict[str, str]:
    """Return the checksum of the files of each run; "" for a run that does not exist."""
    return {run: _folder_sum(results / run) for run in dict.fromkeys(runs)}


def dependencies(request: object, folders: Sequence[Path]) -> str:
    """Return one checksum of all sources of a table except its runs.

    Args:
        request: The plan of the table, its overrides, and which of its rows may be run.
        folders: The folders of data, prompts and classes. The names, sizes and times of the files
            in them are included.
    """
    total = hashlib.sha256(repr((request, code_sum(), sys.version)).encode())
    for path in sorted((*all_conf_files(), *paper_folder().glob("*.yaml"))):
        total.update(read_file(path))
    settings = sorted(item for item in os.environ.items() if item[0].startswith("REMEM_"))
    packages = [_changed(Path(get_path(kind))) for kind in ("purelib", "platlib")]
    total.update(repr((settings, packages, list(_listing(folders)))).encode())
    return total.hexdigest()


def _listing(folders: Sequence[Path]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.stat()
            if path.is_file():
                yield str(path), status.st_size, status.st_mtime_ns


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def _folder_sum(folder: Path) -> str:
    sums = [f"{path.name} {_file_sum(path)}" for path in sorted(folder.glob("*.json*"))]
    return hashlib.sha256("\n".join(sums).encode()).hexdigest() if sums else ""


def _file_sum(path: Path) -> str:
    try:
        return file_sum(path)
    except (OSError, ValueError):
        return ""
