"""Tables in a bundle: laid out of the runs that there are, when they are packed and when replayed.

Nothing is run for them. What a stranger's table may override is a plain setting of a run.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.bundle.layout import LaidOut, table_entry
from remem.bundle.reading import Bundle
from remem.bundle.sums import ANYTHING
from remem.data_files.audit import VerificationFailedError
from remem.experiment import OnProgress, kept_run
from remem.instantiation import UsageError
from remem.paper.tables import paper_folder
from remem.paper_tables.runs import Runs
from remem.paper_tables.table import paper_table, paper_table_names
from remem.reproduce import WITHOUT_EFFECT, named_apart, reproduce
from remem.table_files import write_own_table, write_paper_table
from remem.table_plan import read_plan, table_names

PLAIN = re.compile(r"[a-z_]+(\.[a-z_0-9]+)*=[\w.,:+ \[\]-][\w.,:+ \[\]/-]*")
NEVER = ("hydra", "paths", "runner", "logger", "run.packages")
OF_HERE = tuple(one for one in WITHOUT_EFFECT if not one.startswith(NEVER[:1] + NEVER[-1:]))
"""How overrides begin that are left out: they say where things are here."""
SHOWN = 200


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A table as it is asked for."""

    name: str
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """The files of a table by name, and the runs that it names, as folders below the results."""

    files: Mapping[str, bytes]
    runs: tuple[str, ...]


def known_tables() -> list[str]:
    """Return the tables that can be asked for."""
    return sorted({*table_names(), *paper_table_names(paper_folder())})


def packed_table(wanted: WantedTable) -> WantedTable:
    """Return a table as it travels: without what changes no number.

    Raises:
        UsageError: There is no such table, or it is of settings that do not travel.
    """
    kept = [one for one in wanted.overrides if not one.startswith(OF_HERE)]
    table = WantedTable(wanted.name, tuple(kept))
    _check(table)
    return table


def lay_out(table: WantedTable, places: Mapping[str, str], folder: Path) -> Made:
    """Lay a table out of the runs in `places`, below a folder; nothing is run.

    Raises:
        UsageError: It asks for something that a table is not trusted with.
    """
    _check(table)
    where = [f"paths.{name}={_quoted(place)}" for name, place in places.items()]
    changes = [*table.overrides, *where]
    below = folder / named_apart(table.name, table.overrides)
    if table.name in table_names():
        plan = read_plan(table.name)
        own = reproduce(plan, changes, _quiet, allow_stub=True, answered=kept_run).table
        paths = write_own_table(plan, own, changes, below)
        runs = [row.run for block in own.blocks for row in block.rows]
    else:
        paper = paper_table(
            table.name, changes, Runs("nothing", _quiet, allow_stub=True), paper_folder()
        )
        paths = write_paper_table(paper, below)
        cells = [cell for row in (*paper.rows, *paper.llm_free) for cell in row.cells]
        runs = [run for cell in cells if cell is not None for run in cell.runs]
    files = {path.name: path.read_bytes() for path in paths}
    return Made(files, tuple(dict.fromkeys(filter(None, runs))))


def check_table(
    bundle: Bundle, number: int, places: Mapping[str, str], lacking: Sequence[str]
) -> str:
    """Lay a table of a bundle out again, below the results, and compare its files byte for byte.

    Args:
        bundle: Where its files are.
        number: Which table, counted from 1.
        places: Where data, prompts and the replayed runs are.
        lacking: Runs that could not be answered here: their cells stand as they were packed.

    Returns:
        What could not be compared, "" if all is the same.

    Raises:
        VerificationFailedError: Something else differs.
    """
    packed = bundle.index.laid_out[number - 1]
    wanted = WantedTable(packed.name, packed.overrides)
    made = lay_out(wanted, places, Path(places["results"]) / "tables")
    for run in packed.runs:
        if run not in (*made.runs, *lacking):
            raise VerificationFailedError(
                f"table {packed.name}: the first difference: this version of remem looks for "
                f"another run than {run}"
            )
    before = {name: bundle.document(table_entry(number, name)) for name in packed.files}
    if not lacking:
        difference = first_file_difference(before, made.files)
    else:
        difference = _cells_difference(packed, before, made.files, lacking)
    if difference:
        raise VerificationFailedError(f"table {packed.name}: the first difference: {difference}")
    return f"the cells of {len(lacking)} runs stand as they were packed" if lacking else ""


def first_file_difference(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> str:
    """Say which line of which file is the first to differ; "" where none does."""
    for name in sorted(before.keys() | now.keys()):
        if name not in before or name not in now:
            return f"{name} is there only {'before' if name in before else 'now'}"
        if before[name] != now[name]:
            old, new = (one[name].decode(errors="replace").split("\n") for one in (before, now))
            pairs = zip([*old, ""], [*new, ""], strict=False)
            at, (was, there) = next(
                (at, pair) for at, pair in enumerate(pairs, start=1) if pair[0] != pair[1]
            )
            return f"{name}, line {at} was {was[:SHOWN]!r}, is {there[:SHOWN]!r}"
    return ""


def _cells_difference(
    packed: LaidOut,
    before: Mapping[str, bytes],
    now: Mapping[str, bytes],
    lacking: Sequence[str],
) -> str:
    """Compare the cells of all other runs; a table of conf/table has no cells of its own."""
    name = f"{packed.name}.json"
    if name not in before or name not in now:
        return ""
    old, new = (_cells(one[name]) for one in (before, now))
    for where, cell in old.items():
        of_lacking = isinstance(cell, dict) and {*map(str, cell.get("runs", ()))} & {*lacking}
        if not of_lacking and cell != new.get(where):
            return f"{where} was {_short(cell)}, is {_short(new.get(where))}"
    return ""


def _cells(content: bytes) -> dict[str, Any]:
    table = ANYTHING.validate_json(content)
    return {
        f"{part} {at}, column {column}": cell
        for part in ("rows", "llm_free")
        for at, row in enumerate(table[part], start=1)
        for column, cell in enumerate(row["cells"], start=1)
    }


def _short(value: object) -> str:
    return json.dumps(value, sort_keys=True)[:SHOWN]


def _check(table: WantedTable) -> None:
    if table.name not in known_tables():
        raise UsageError(f"there is no table {table.name!r}; known are {', '.join(known_tables())}")
    for one in table.overrides:
        plain = PLAIN.fullmatch(one) and ".." not in one and "_target_" not in one
        if not plain or one.startswith(NEVER):
            raise UsageError(
                f"a table of a bundle does not override {one[:SHOWN]!r}; pack its runs by folder"
            )


def _quoted(path: str) -> str:
    return "'" + path.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quiet(label: str) -> nullcontext[OnProgress]:
    return nullcontext(lambda done, total: None)
