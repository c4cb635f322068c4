"""Compare remem with fixed limits, and with peers measured in the same run: `make bench`."""

import argparse
import os
import time
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from measure.line import MeasuredPart
from measure.summary import HEADINGS, in_page, machine, read_parts, rows, write_parts
from rich.markup import escape
from rich.table import Table

from remem.reports.terminal.console import table_console

PARTS = {
    "whole-run": "measure.whole_run",
    "starts": "measure.starts",
    "boundaries": "measure.boundaries",
}
ROOT = Path(__file__).parents[1]
TRACKED, PAGE = ROOT / "results" / "bench.json", ROOT / "docs" / "measurements.md"


def main() -> None:
    """Measure the chosen parts and print their results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, under 3 minutes")
    parser.add_argument(
        "--write", action="store_true", help=f"write them into {TRACKED.name} and {PAGE.name}"
    )
    chosen = parser.parse_args()
    unknown = sorted({*chosen.parts} - {*PARTS})
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; choose from {', '.join(PARTS)}")
    if chosen.write and chosen.quick:
        parser.error("--write needs whole parts: leave out --quick")
    parts = [measured(name, quick=chosen.quick) for name in chosen.parts or PARTS]
    if chosen.write:
        write_parts(parts, TRACKED)
        page = in_page(PAGE.read_text(encoding="utf-8"), read_parts(TRACKED))
        PAGE.write_text(page, encoding="utf-8")
    missed = [line.name for part in parts for line in part.lines if line.holds is False]
    print(f"{len(missed)} lines miss their limit{': ' if missed else ''}{'; '.join(missed)}")


def measured(name: str, *, quick: bool) -> MeasuredPart:
    """Measure one part, print its lines, and return the part."""
    begun = time.monotonic()
    lines = tuple(import_module(PARTS[name]).measure(quick=quick))
    seconds = round(time.monotonic() - begun)
    table = Table(*HEADINGS, title=f"{name}, {seconds} s")
    for cells in rows(lines):
        table.add_row(*map(escape, cells))
    table_console().print(table)
    day = datetime.now(UTC).date().isoformat()
    return MeasuredPart(name, day, seconds, machine(), lines)


if __name__ == "__main__":
    main()
