"""Figures for docs/trust.md: tests and scripts append them to a file for `make trust`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLE = "REMEM_TRUST_FIGURES"
"""The environment variable with the output file; without it, nothing is written."""


def note_figure(name: str, value: float, **about: str) -> None:
    """Append a figure to the file in the environment variable, if it is set."""
    file = os.environ.get(VARIABLE)
    if file:
        line = json.dumps({"figure": name, "value": value, **about})
        with Path(file).open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")


def read_figures(file: Path) -> Mapping[str, float]:
    """Return the sum of the values of each figure, because several tests add to the same one."""
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
