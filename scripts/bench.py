"""Run the benchmark parts, each in its own process: `make bench`."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from measure.measured_part import MeasuredPart, read_parts, write_part
from measure.part import read_lines
from measure.processes import environment
from measure.summary import HEADINGS, growth_rows, in_page, machine, rows
from rich.markup import escape
from rich.table import Table

from remem.reports.terminal.console import table_console

PARTS = {
    "own-overhead": "measure.own_overhead",
    "whole-run": "measure.whole_run",
    "starts": "measure.starts",
    "tools": "measure.tools_at_scale",
    "boundaries": "measure.boundaries",
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Run the parts, print and write each; exit with 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, under 3 minutes")
    parser.add_argument("--out", type=Path, default=Path("results/bench"), help="a folder")
    parser.add_argument("--page", type=Path, help="also write all measured parts into this page")
    chosen = parser.parse_args()
    unknown = sorted({*chosen.parts} - {*PARTS})
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; choose from {', '.join(PARTS)}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    failed, missed = [], []
    names = [] if chosen.page and not chosen.parts else chosen.parts or [*PARTS]
    for name in names:
        part, code = _measured(name, chosen.out, quick=chosen.quick)
        failed += [name] if code else []
        missed += [line.beside for line in part.lines if line.holds is False]
        _show(part)
    if chosen.page:
        whole = [part for part in read_parts(chosen.out) if not part.quick]
        text = chosen.page.read_text(encoding="utf-8")
        chosen.page.write_text(in_page(text, whole), encoding="utf-8")
    if names:
        print(f"{len(missed)} lines miss their goal{': ' if missed else ''}{'; '.join(missed)}")
    if failed:
        print(f"bench: {', '.join(failed)} failed, see above", file=sys.stderr)
    sys.exit(bool(failed))


def _measured(name: str, out: Path, *, quick: bool) -> tuple[MeasuredPart, int]:
    lines = out / f"{name}.jsonl"
    lines.write_bytes(b"")
    command = [sys.executable, "-m", "measure.part", PARTS[name], str(lines)]
    if quick:
        command.append("--quick")
    begun = time.monotonic()
    done = subprocess.run(command, check=False, env=environment() | ONE_THREAD)
    took = time.monotonic() - begun
    part = MeasuredPart.of(name, machine(), round(took), *read_lines(lines), quick=quick)
    if not done.returncode:  # what was measured before is worth more than half of a part
        write_part(part, out)
    lines.unlink()
    return part, done.returncode


def _show(part: MeasuredPart) -> None:
    console = table_console()
    table = Table(*HEADINGS, title=f"{part.name}, {part.seconds} s")
    for cells in rows(part.lines):
        table.add_row(*map(escape, cells))
    console.print(table)
    if part.growth:
        grown = Table("what grows", "by size", "power of the size", "note")
        for cells in growth_rows(part.growth):
            grown.add_row(*map(escape, cells))
        console.print(grown)


if __name__ == "__main__":
    main()
