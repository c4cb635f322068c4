"""Figures for docs/trust.md: tests and scripts append them to a file, `make trust` gathers them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLE = "REMEM_TRUST_FIGURES"
"""The environment variable that names the file; where it is not set, nothing is written."""


def note_figure(name: str, value: float, **about: str) -> None:
    """Append a figure to the file that the environment names, if it names one."""
    file = os.environ.get(VARIABLE)
    if file:
        line = json.dumps({"figure": name, "value": value, **about})
        with Path(file).open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")


def read_figures(file: Path) -> Mapping[str, float]:
    """Add up the values of each figure: several tests count into the same one."""
    found: dict[str, float] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            figure: Any = json.loads(line)
            found[figure["figure"]] = found.get(figure["figure"], 0) + figure["value"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f'{file}:{number}: not a figure ({error}), expected {{"figure": "...", '
                f'"value": <number>}}'
            ) from error
    return dict(sorted(found.items()))
