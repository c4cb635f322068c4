"""Make the tables of a bundle from stored runs, both when it is packed and when it is replayed.

Making a table starts no run. The overrides of a table in a bundle may only be plain settings.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from remem.bundle.differences import SHOWN, first_file_difference, format_json_value, other_cells
from remem.bundle.layout import Count, table_entry
from remem.bundle.reading import Bundle
from remem.config.override_text import quoted
from remem.config.suggestions import either
from remem.config.untrusted_overrides import refused_override
from remem.errors import UsageError, VerificationFailedError
from remem.files.opened import read_file
from remem.paper.layout import paper_folder, paper_table_names
from remem.run.progress import no_view
from remem.run.run_result import kept_run
from remem.run.store import RECORDS
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table
from remem.tables.reproduce import named_apart, reproduce
from remem.tables.rows import OF_HERE
from remem.tables.table import Table
from remem.tables.table_plan import TablePlan, read_plan, table_names

PLAIN = re.compile(r"[a-z_]+(\.[a-z_0-9]+)*=[\w.,:+ \[\]-][\w.,:+ \[\]/-]*")


class TableFiles(Protocol):
    """Writes the files of a table into a folder, and returns their paths."""

    def write_own_table(
        self, plan: TablePlan, table: Table, overrides: Sequence[str], folder: Path
    ) -> tuple[Path, ...]:
        """Write a table of conf/table."""

    def write_paper_table(self, table: Table, folder: Path) -> tuple[Path, ...]:
        """Write a table of the paper."""


@dataclass(frozen=True, slots=True)
class WantedTable:
    """The name and overrides of a table to make."""

    name: str
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table, the contents (by name) of its files to be compared, and the folders of its runs.

    The folders are relative to the results. `errors` counts the failed questions of the runs.
    """

    table: Table
    files: Mapping[str, bytes]
    runs: tuple[str, ...]
    errors: int


@dataclass(frozen=True, slots=True)
class NotCompared:
    """The reason why a replay did not compare a table, or compared only a part of it.

    The reason is "data" if the data differ here, because then the runs have other names. `count` is
    the number of runs or cells of the table that are missing here.
    """

    reason: Literal["data", "runs", "cells"]
    count: Count = 0

    def __str__(self) -> str:
        return {
            "data": "not compared: the names of its runs depend on the data, which differ here",
            "runs": f"not compared: {self.count} of its runs could not be answered here",
            "cells": f"the same except for {self.count} cells whose run is missing here",
        }[self.reason]


def known_tables() -> list[str]:
    """Return the sorted names of all tables: those of `conf/table` and those of the paper."""
    return sorted({*table_names(), *paper_table_names(paper_folder())})


def packed_table(wanted: WantedTable) -> WantedTable:
    """Return a table without the overrides that only concern this machine.

    Raises:
        UsageError: The table is unknown, or a bundle may not store one of its overrides.
    """
    kept = [override for override in wanted.overrides if not override.startswith(OF_HERE)]
    table = WantedTable(wanted.name, tuple(kept))
    _check(table)
    return table


def lay_out(
    table: WantedTable, places: Mapping[str, str], folder: Path, files: TableFiles
) -> MadeTable:
    """Make a table from stored runs, without starting any, and write its files below a folder.

    Args:
        table: The table.
        places: The folders of data, results and prompts.
        folder: The folder for the files.
        files: Writes the files of a table.

    Raises:
        UsageError: The table is unknown, or a bundle may not store one of its overrides.
    """
    _check(table)
    where = [f"paths.{name}={quoted(place)}" for name, place in places.items()]
    changes = [*table.overrides, *where]
    below = folder / named_apart(table.name, table.overrides)
    if table.name in table_names():
        plan = read_plan(table.name)
        own = reproduce(plan, changes, no_view, allow_stub=True, answered=kept_run)
        shown = own.table
        paths = files.write_own_table(plan, shown, changes, below)
        runs = [row.run for row in shown.rows]
        errors = own.errors
    else:
        runs_of_table = TableRuns("nothing", no_view, allow_stub=True)
        shown = paper_table(table.name, changes, runs_of_table, paper_folder())
        paths = files.write_paper_table(shown, below)
        named = [run for cell in shown.cells for run in cell.runs]
        # A cell without a result also names a run: the one that would fill it.
        results = Path(places["results"])
        runs = [run for run in named if run and (results / run / RECORDS).exists()]
        errors = len(runs_of_table.failures)
    contents = {path.name: read_file(path) for path in paths if is_compared(path.name)}
    return MadeTable(shown, contents, tuple(dict.fromkeys(filter(None, runs))), errors)


def is_compared(file: str) -> bool:
    """Return whether a replay must give exactly the bytes of a file.

    HTML pages may differ: they show the numbers of the other files, in a layout that may change.
    """
    return not file.endswith(".html")


def check_table(
    bundle: Bundle,
    number: int,
    places: Mapping[str, str],
    missing: Sequence[str],
    files: TableFiles,
) -> tuple[Table, NotCompared | None]:
    """Make a table of a bundle again, below the results, and compare its files byte for byte.

    Args:
        bundle: The bundle with the packed files.
        number: The number of the table, counted from 1.
        places: The folders of data, prompts and replayed runs.
        missing: The names of runs that could not be answered here.
        files: Writes the files of a table.

    Returns:
        The table, and the reason why not all of it was compared: runs are missing, or cells have no
        run because other data sets are available here. The reason is None if all was compared.

    Raises:
        VerificationFailedError: There is a difference for any other reason.
    """
    packed = bundle.index.laid_out[number - 1]
    wanted = WantedTable(packed.name, packed.overrides)
    made = lay_out(wanted, places, Path(places["results"]) / "tables", files)
    for run in packed.runs:
        if run not in (*made.runs, *missing):
            raise VerificationFailedError(
                f"table {packed.name}: the first difference: the bundle has the run {run}, but "
                f"this version of remem expects another one"
            )
    before = {
        name: bundle.document(table_entry(number, at))
        for at, name in enumerate(packed.files, start=1)
        if is_compared(name)
    }
    difference = first_file_difference(before, made.files)
    if not difference:
        return made.table, None
    cells = f"{packed.name}.json"
    if cells not in made.files and missing:
        return made.table, NotCompared("runs", len(missing))
    others = other_cells(before.get(cells), made.files.get(cells))
    for where, (was, there) in others.items():
        runs = {*map(str, (was or {}).get("runs", ()))}
        if runs and not runs & {*missing}:
            difference = f"{where} was {format_json_value(was)}, is {format_json_value(there)}"
            break
    else:
        if others:
            return made.table, NotCompared("cells", len(others))
    raise VerificationFailedError(f"table {packed.name}: the first difference: {difference}")


def _check(table: WantedTable) -> None:
    if table.name not in known_tables():
        raise UsageError(f"unknown table {table.name!r}; choose {either(known_tables())}")
    for override in table.overrides:
        plain = PLAIN.fullmatch(override) and ".." not in override and "_target_" not in override
        refused = refused_override(override) if plain else None
        # A table may name a model: it is made from stored runs, so the model is not called.
        if not plain or (refused is not None and refused.kind != "model"):
            raise UsageError(
                f"a table in a bundle may not override {override[:SHOWN]!r}; pack the folders of "
                f"its runs instead"
            )
