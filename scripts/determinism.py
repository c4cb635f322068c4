"""Compare records and tables between numbers of workers, batches, processors and Pythons.

Run it as `python scripts/determinism.py [interpreters that have the core]`: `make determinism`.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from measure.determinism import python_release, run_line, run_variant, variants

WANTED = ("3.11", "3.12", "3.13")


def main() -> None:
    """Print the comparison, or run one variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", help="interpreters that have the core")
    parser.add_argument("--line", type=Path, help="run the line alone, in this folder")
    parser.add_argument("--store", type=Path, help="results of an earlier line")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--single", action="store_true")
    chosen = parser.parse_args()
    if chosen.line:
        found = run_line(chosen.line, chosen.store, workers=chosen.workers, single=chosen.single)
        print(json.dumps(asdict(found)))
        return
    sys.exit(_matrix([python for python in chosen.pythons if Path(python).exists()]))


def _matrix(pythons: list[str]) -> int:
    first, *others = variants(pythons)
    differ = 0
    with tempfile.TemporaryDirectory(prefix="determinism-") as folder:
        store = Path(folder) / "first"
        expected = run_variant(first, store, None)
        print(f"{first.name:<20} {expected.bytes:,} bytes of {len(expected.sums)} files, ", end="")
        print(f"Python {python_release(sys.executable)}")
        for at, other in enumerate(others):
            difference = run_variant(other, Path(folder) / str(at), store).difference(expected)
            print(f"{other.name:<20} {difference or 'equal'}", flush=True)
            differ += bool(difference)
    there = f"{[other.name for other in others]} Python {python_release(sys.executable)}"
    for release in WANTED:
        if f"Python {release}." not in there:
            print(f"Python {release:<13} not compared: no such interpreter here")
    return min(differ, 1)


if __name__ == "__main__":
    main()
