"""Measure every part of the benchmark, each in a process of its own: `make bench`."""

import argparse
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from remem.bench.line import Growth, Line
from remem.bench.part import read_part
from remem.bench.summary import HEADINGS, as_json, growth_rows, plot_growth, rows

PARTS = {
    "own-overhead": "remem.bench.own_overhead",
    "hipporag2": "remem.bench.hipporag2_overhead",
    "whole-run": "remem.bench.whole_run",
    "primitives": "remem.bench.primitives",
    "tools": "remem.bench.tools_at_scale",
}
ON_REQUEST = {
    "million": "remem.bench.million",
    "gpu": "remem.bench.gpu",
    "engine": "remem.bench.larger_memory",
}
"""Parts that `make bench-1m` and `make bench-gpu` name."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> None:
    """Measure the parts, show and write each; exit with 1 where one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, under 3 minutes")
    parser.add_argument("--out", type=Path, default=Path("results/bench"), help="a folder")
    chosen = parser.parse_args()
    known = PARTS | ON_REQUEST
    unknown = sorted({*chosen.parts} - {*known})
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(known)}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    all_lines: list[Line] = []
    all_growths: list[Growth] = []
    for name in chosen.parts or PARTS:
        begun = time.monotonic()
        lines, growths, code = _measured(known[name], chosen.out / f"{name}.jsonl", chosen.quick)
        if code:
            failed.append(name)
        all_lines.extend(lines)
        all_growths.extend(growths)
        _show(f"{name}, {time.monotonic() - begun:.0f} s", lines, growths)
    content = json.dumps(as_json(all_lines, all_growths), indent=2)
    (chosen.out / "bench.json").write_text(f"{content}\n", encoding="utf-8")
    if all_growths and find_spec("matplotlib"):
        plot_growth(all_growths, chosen.out / "growth.svg")
    elif all_growths:
        print("no plot of the growth: pip install 'remem[bench]'")
    missed = [line.name for line in all_lines if line.holds is False]
    print(f"{len(missed)} lines miss their goal{': ' if missed else ''}{'; '.join(missed)}")
    if failed:
        print(f"bench: {', '.join(failed)} failed, see above", file=sys.stderr)
    sys.exit(bool(failed))


def _measured(module: str, file: Path, quick: bool) -> tuple[list[Line], list[Growth], int]:
    file.unlink(missing_ok=True)
    file.touch()
    command = [sys.executable, "-m", "remem.bench.part", module, str(file)]
    environment = os.environ | ONE_THREAD
    if quick:
        command.append("--quick")
    done = subprocess.run(command, check=False, env=environment)
    return *read_part(file), done.returncode


def _show(title: str, lines: list[Line], growths: list[Growth]) -> None:
    table = Table(*HEADINGS, title=title)
    for cells in rows(lines):
        table.add_row(*cells)
    Console().print(table)
    if growths:
        grown = Table("what grows", "by size", "power of the size", "note")
        for cells in growth_rows(growths):
            grown.add_row(*cells)
        Console().print(grown)


if __name__ == "__main__":
    main()
