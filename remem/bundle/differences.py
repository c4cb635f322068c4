"""Compare a packed run with this machine, and a packed table's files with those made here."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from remem.bundle.layout import PackageName, Release, RunNotes
from remem.bundle.run_parts import RunParts, malformed_config
from remem.config.fingerprint import data_sums
from remem.config.run_config import RunConfig
from remem.files.adapters import parsed
from remem.protocols import Benchmark, DataFile
from remem.run.manifest import NOT_INSTALLED, installed_packages


@dataclass(frozen=True, slots=True)
class OtherRelease:
    """A package that has another release here than on the machine where the run was answered."""

    package: PackageName
    here: Release
    there: Release


@dataclass(frozen=True, slots=True)
class EnvironmentDifferences:
    """The data files (None if none differ) and package releases that differ on this machine."""

    data: tuple[DataFile, ...] | None = None
    releases: tuple[OtherRelease, ...] = ()

    def __str__(self) -> str:
        return "; ".join(filter(None, (_format_data(self.data), _format_releases(self.releases))))


def environment_differences(notes: RunNotes, benchmark: Benchmark) -> EnvironmentDifferences:
    """Return the data files and package releases that differ here from those of a packed run.

    A difference need not change the result. For example, a data file may be compressed
    differently but have the same content.
    """
    before, now = data_sums(notes.data), data_sums(benchmark.files())
    other = tuple(file for file in notes.data if [file.name, file.sha256] not in now)
    there = {"python": notes.environment.python, **notes.environment.packages}
    here = {"python": platform.python_version(), **installed_packages()}
    releases = tuple(
        OtherRelease(name, here[name], release)
        for name, release in there.items()
        if release
        and here.get(name, release) != release
        and NOT_INSTALLED not in (release, here[name])
    )
    return EnvironmentDifferences(None if before == now else other or notes.data, releases)


def _format_data(data: Sequence[DataFile] | None) -> str:
    if data is None:
        return ""
    files = ", ".join(" with sha256 ".join(pair) for pair in data_sums(data))
    return f"the data differ here; the run read {files or 'none'}"


def _format_releases(releases: Sequence[OtherRelease]) -> str:
    names = ", ".join(f"{other.package} {other.here}, not {other.there}" for other in releases)
    return f"answered here with {names}" if releases else ""


def other_prompts(parts: RunParts, config: RunConfig) -> str:
    """Describe the first prompt of a run that is different in `config`; "" if none is."""
    with malformed_config(parts.name):
        here = config.prompts
    for before, now in zip(parts.notes.prompts, here, strict=False):
        if before != now:
            recorded = f"{before.library}:{before.name} had sha256 {before.sha256}"
            return f"the prompt {recorded}, here it has {now.sha256}"
    same = len(parts.notes.prompts) == len(here)
    return "" if same else f"{len(here)} prompts, not {len(parts.notes.prompts)}"


SHOWN = 200

Cell = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of a row; they are compared if the files of the table differ."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TableCells:
    """The rows of a table of the paper; they are compared if the files of the table differ."""

    rows: tuple[RowCells, ...]
    llm_free: tuple[RowCells, ...]


def first_file_difference(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> str:
    """Describe the first file that exists only once, or the first line that differs; "" if none."""
    for name in sorted(before.keys() | now.keys()):
        if name not in before or name not in now:
            return f"{name} exists only {'before' if name in before else 'now'}"
        if before[name] != now[name]:
            lines = zip_longest(*(side[name].splitlines(True) for side in (before, now)))
            at, pair = next((at, two) for at, two in enumerate(lines, start=1) if two[0] != two[1])
            was, there = (repr((line or b"").decode(errors="replace")[:SHOWN]) for line in pair)
            return f"{name}, line {at} was {was}, is {there}"
    return ""


def other_cells(before: bytes | None, now: bytes | None) -> dict[str, tuple[Cell, Cell]]:
    """Compare the cells in two JSON files of a table of the paper.

    Returns:
        The old and the new cell for each position at which they differ. Empty if a file is missing.
        It is always empty for tables of `conf/table`, because their cells do not name runs.
    """
    if before is None or now is None:
        return {}
    old, new = _cells(before), _cells(now)
    pairs = {where: (cell, new.get(where)) for where, cell in old.items()}
    return {where: pair for where, pair in pairs.items() if pair[0] != pair[1]}


def _cells(content: bytes) -> dict[str, Cell]:
    table = parsed(TableCells, content)
    return {
        f"{part} {at}, column {column}": cell
        for part, rows in (("row", table.rows), ("LLM-free row", table.llm_free))
        for at, row in enumerate(rows, start=1)
        for column, cell in enumerate(row.cells, start=1)
    }


def format_json_value(value: object) -> str:
    """Return a value as JSON, cut to `SHOWN` characters."""
    return json.dumps(value, sort_keys=True)[:SHOWN]
