"""Write the measured parts of the benchmark as table rows, into a file and into a page."""

import os
import platform
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter
from tabulate import tabulate

from measure.line import MeasuredLine, MeasuredPart

HEADINGS = ("what", "n", "median", "spread", "compared with", "its median", "ratio", "limit", "met")
BLOCK = re.compile(r"(?<=<!-- bench -->\n\n).*?(?=\n\n<!-- end of bench -->)", re.DOTALL)
"""The part of a page that shows the benchmark."""
PARTS = TypeAdapter(list[MeasuredPart])


def machine() -> str:
    """Return the CPU, the number of cores and the version of Python."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    models = [line.partition(": ")[2] for line in text.splitlines() if "model name" in line]
    name = models[0] if models else platform.processor()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def rows(lines: Sequence[MeasuredLine]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line, under `HEADINGS`."""
    for line in lines:
        ours, peer, goal = line.ours, line.peer, line.goal
        unit = "x" if goal and goal.of == "ratio" else f" {line.unit}"
        yield (
            f"{line.name} ({line.note})" if line.note else line.name,
            str(ours.n),
            f"{_digits(ours.median)} {line.unit}",
            f"{_digits(ours.low)}-{_digits(ours.high)}",
            line.against,
            f"{_digits(peer.median)} {line.unit}" if peer else "",
            "" if line.ratio is None else f"{_digits(line.ratio)}x",
            f"{_digits(goal.most)}{unit}" if goal else "",
            {None: "", True: "yes", False: "NO"}[line.holds],
        )


def read_parts(file: Path) -> list[MeasuredPart]:
    """Return the parts in a file of measurements; empty if the file does not exist."""
    return PARTS.validate_json(file.read_bytes()) if file.exists() else []


def write_parts(parts: Sequence[MeasuredPart], file: Path) -> None:
    """Write measured parts into a file; the file keeps its parts with other names."""
    names = {part.name for part in parts}
    kept = [part for part in read_parts(file) if part.name not in names]
    whole = sorted([*kept, *parts], key=lambda part: part.name)
    file.write_bytes(PARTS.dump_json(whole, indent=1) + b"\n")


def in_page(text: str, parts: Sequence[MeasuredPart]) -> str:
    """Return the text of a page with its benchmark section replaced by the tables of all parts."""
    verdicts = [line.holds for part in parts for line in part.lines if line.holds is not None]
    sentence = f"{sum(verdicts)} of {len(verdicts)} lines with a limit meet it."
    sections = [
        f"### {part.name}\n\n`python scripts/bench.py {part.name}`: {part.seconds} s on "
        f"{part.day}, {part.machine}.\n\n"
        + tabulate(list(rows(part.lines)), HEADINGS, "github", disable_numparse=True)
        for part in parts
    ]
    page, count = BLOCK.subn(lambda _: "\n\n".join([sentence, *sections]), text)
    if not count:
        raise ValueError("the page has no part between <!-- bench --> and <!-- end of bench -->")
    return page


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
