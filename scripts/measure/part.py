"""Run one part of the benchmark in its own process: `python -m measure.part MODULE FILE`."""

import argparse
import importlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from measure.line import MeasuredLine, MemoryGrowth


def main() -> None:
    """Measure and write each line at once, so that a crash loses no finished line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("file", type=Path)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    measured: Iterable[MeasuredLine | MemoryGrowth] = importlib.import_module(
        chosen.module
    ).measure(quick=chosen.quick)
    with chosen.file.open("a", encoding="utf-8") as file:
        for figure in measured:
            file.write(f"{json.dumps(asdict(figure))}\n")
            file.flush()


def read_lines(file: Path) -> tuple[list[MeasuredLine], list[MemoryGrowth]]:
    """Return the measurements of a part."""
    lines, growths = TypeAdapter(MeasuredLine), TypeAdapter(MemoryGrowth)
    texts = file.read_text(encoding="utf-8").splitlines()
    grown = [text for text in texts if "sizes" in json.loads(text)]
    return (
        [lines.validate_json(text) for text in texts if text not in grown],
        [growths.validate_json(text) for text in grown],
    )


if __name__ == "__main__":
    main()
