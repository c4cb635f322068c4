"""Output of the benchmark: a table, Markdown, and the machine."""

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from measure.line import MeasuredLine, MemoryGrowth
from measure.measured_part import MeasuredPart

HEADINGS = ("what", "n", "median", "spread", "against", "its median", "ratio", "goal", "holds")
UNKNOWN = "not measured"
PART = re.compile(r"(?<=<!-- bench -->\n\n).*?(?=\n\n<!-- end of bench -->)", re.DOTALL)
"""What a page of measurements has of this benchmark."""


def machine() -> Mapping[str, Any]:
    """Return the description of the machine."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    models = [line.partition(": ")[2] for line in text.splitlines() if "model name" in line]
    return {
        "platform": platform.platform(),
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def rows(lines: Sequence[MeasuredLine]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each line, under `HEADINGS`."""
    for line in lines:
        ours, peer = line.ours, line.peer
        measured = ours.n > 0
        yield (
            f"{line.name} ({line.note})" if line.note else line.name,
            str(ours.n),
            f"{_digits(ours.median)} {line.unit}" if measured else UNKNOWN,
            f"{_digits(ours.low)}-{_digits(ours.high)}" if measured else "",
            line.against,
            f"{_digits(peer.median)} {line.unit}" if peer else _without_peer(line),
            "" if line.ratio is None else f"{_digits(line.ratio)}x",
            _goal(line),
            {None: "", True: "yes", False: "NO"}[line.holds],
        )


def growth_rows(growths: Sequence[MemoryGrowth]) -> Iterator[tuple[str, ...]]:
    """Yield name, medians by size, exponent and note of each growth."""
    for growth in growths:
        by_size = zip(growth.sizes, growth.medians, strict=True)
        medians = ", ".join(f"{size:,}: {_digits(median)}" for size, median in by_size)
        yield growth.name, f"{medians} {growth.unit}", f"{growth.exponent:.2f}", growth.note


def in_page(text: str, parts: Sequence[MeasuredPart]) -> str:
    """Return a page with the measurements as Markdown tables, with a heading for each part."""
    sections = [_section(part) for part in parts]
    missed = [line.beside for part in parts for line in part.lines if line.holds is False]
    count = sum(line.holds is not None for part in parts for line in part.lines)
    verdict = f"Of {count} lines with a goal, {len(missed)} miss it{':' if missed else '.'}"
    lines = "\n\n".join([verdict, *filter(None, ["\n".join(f"- {m}" for m in missed)]), *sections])
    return PART.sub(lambda _: lines, text)


def _section(part: MeasuredPart) -> str:
    on = part.machine
    sentence = (
        f"### {part.name}\n\n`python scripts/bench.py {part.name}`: {part.seconds} s on "
        f"{part.date}, {on['processor']}, {on['cores']} cores, Python {on['python']}.\n"
    )
    tables = [tabulate(list(rows(part.lines)), HEADINGS, "github", disable_numparse=True)]
    if part.growth:
        heads = ("what grows", "median by size", "power of the size", "note")
        grown = list(growth_rows(part.growth))
        tables.append(tabulate(grown, heads, "github", disable_numparse=True))
    return "\n".join([sentence, "\n\n".join(tables)])


def _without_peer(line: MeasuredLine) -> str:
    """Return a note if a peer was not measured; a limit is not a peer."""
    return UNKNOWN if line.against and (line.goal is None or line.goal.of == "ratio") else ""


def _goal(line: MeasuredLine) -> str:
    if line.goal is None:
        return ""
    bound = f"{line.goal.sense} {_digits(line.goal.bound)}"
    return f"{bound}x" if line.goal.of == "ratio" else f"{bound} {line.unit}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
