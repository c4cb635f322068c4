"""Runs one part of the benchmark in a process of its own: `python -m measure.part MODULE FILE`.

A part is a module with `measure(quick=...)`, which yields lines and growths.
"""

import argparse
import importlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from measure.line import Growth, Line


def main() -> None:
    """Measure, writing each line as it comes: what was measured outlives a crash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("file", type=Path)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    measured: Iterable[Line | Growth] = importlib.import_module(chosen.module).measure(
        quick=chosen.quick
    )
    with chosen.file.open("a", encoding="utf-8") as file:
        for figure in measured:
            file.write(f"{json.dumps(asdict(figure))}\n")
            file.flush()


def read_lines(file: Path) -> tuple[list[Line], list[Growth]]:
    """Read what a part has measured."""
    lines, growths = TypeAdapter(Line), TypeAdapter(Growth)
    texts = file.read_text(encoding="utf-8").splitlines()
    grown = [text for text in texts if "sizes" in json.loads(text)]
    return (
        [lines.validate_json(text) for text in texts if text not in grown],
        [growths.validate_json(text) for text in grown],
    )


if __name__ == "__main__":
    main()
