"""Output of the benchmark: a table, Markdown, JSON with the machine, and a plot."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from measure.line import Growth, Line
from measure.measured_part import MeasuredPart

HEADINGS = ("what", "n", "median", "spread", "against", "its median", "ratio", "goal", "holds")
UNKNOWN = "not measured"
PICTURE = "images/growth.svg"
"""The path of the plot, relative to the page."""
COLUMNS = 2
"""Number of panels side by side in a plot."""
PREFACE = f"""\
# How fast, and how big

Each line compares remem with a peer or with a limit. Both sides of a ratio are measured in the same
run, because seconds alone say little on a shared machine. Latencies are those of one thread
(`OMP_NUM_THREADS=1`). [Profiles](profiles.md) says why a line misses its goal, and what was
improved.

| command | measures |
|---|---|
| `make bench` | what fits into 20 minutes on two cores (`QUICK=1`: 3 minutes) |
| `make bench-1m` | a memory of a million gists, ways to search it, and exact synonymy of 200,000 |
| `make bench-gpu` | what a GPU does |

`python scripts/bench.py --page docs/bench.md` writes this page.

![How each tool grows with the memory]({PICTURE})"""


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


def rows(lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
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


def growth_rows(growths: Sequence[Growth]) -> Iterator[tuple[str, ...]]:
    """Yield name, medians by size, exponent and note of each growth."""
    for growth in growths:
        by_size = zip(growth.sizes, growth.medians, strict=True)
        medians = ", ".join(f"{size:,}: {_digits(median)}" for size, median in by_size)
        yield growth.name, f"{medians} {growth.unit}", f"{growth.exponent:.2f}", growth.note


def page(parts: Sequence[MeasuredPart]) -> str:
    """Return the measurements as Markdown tables, with a heading for each part."""
    said = [_section(part) for part in parts]
    missed = [line.beside for part in parts for line in part.lines if line.holds is False]
    count = sum(line.holds is not None for part in parts for line in part.lines)
    verdict = f"Of {count} lines with a goal, {len(missed)} miss it"
    return "\n\n".join([PREFACE, f"{verdict}{': ' if missed else ''}{'; '.join(missed)}.", *said])


def _section(part: MeasuredPart) -> str:
    on = part.machine
    said = (
        f"## {part.name}\n\n`python scripts/bench.py {part.name}`: {part.seconds} s on "
        f"{part.date}, {on['processor']}, {on['cores']} cores, Python {on['python']}.\n"
    )
    tables = [tabulate(list(rows(part.lines)), HEADINGS, "github", disable_numparse=True)]
    if part.growth:
        heads = ("what grows", "median by size", "power of the size", "note")
        grown = list(growth_rows(part.growth))
        tables.append(tabulate(grown, heads, "github", disable_numparse=True))
    return "\n".join([said, "\n\n".join(tables)])


def plot_growth(growths: Sequence[Growth], file: Path) -> None:
    """Draw the growths in one panel per part and unit, with logarithmic axes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "growth"  # the same picture for the same figures
    panels = _panels(growths)
    most = [len(shown) for _, shown in panels[::COLUMNS]]  # of each row: the largest come first
    heights = [3.9 + 0.21 * lines for lines in most]  # inches: the axes, and a legend below them
    figure = Figure(figsize=(6.5 * COLUMNS, sum(heights)), layout="constrained")
    places = figure.subplots(len(heights), COLUMNS, squeeze=False, height_ratios=heights).flat
    for axes, ((of, unit), shown) in zip(places, panels, strict=False):
        for growth in shown:
            name = growth.name.removeprefix(f"{of}: ")
            axes.plot(growth.sizes, growth.medians, "o-", label=f"{name}: {growth.exponent:.2f}")
        axes.set(xscale="log", yscale="log", xlabel=f"size ({of})" if of else "size", ylabel=unit)
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)}
        axes.legend(fontsize="small", title="grows with the power of the size", **below)
        axes.grid(visible=True, alpha=0.3)
    for axes in [*places][len(panels) :]:
        axes.set_axis_off()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})


def _panels(growths: Sequence[Growth]) -> list[tuple[tuple[str, str], list[Growth]]]:
    """Return the growths by the start of their names and by unit; the largest panels come first."""
    found: dict[tuple[str, str], list[Growth]] = {}
    for growth in growths:
        found.setdefault((growth.name.rpartition(": ")[0], growth.unit), []).append(growth)
    return sorted(found.items(), key=lambda panel: -len(panel[1]))


def _without_peer(line: Line) -> str:
    """Return a note if a peer was not measured; a limit is not a peer."""
    return UNKNOWN if line.against and (line.goal is None or line.goal.of == "ratio") else ""


def _goal(line: Line) -> str:
    if line.goal is None:
        return ""
    bound = f"{line.goal.sense} {_digits(line.goal.bound)}"
    return f"{bound}x" if line.goal.of == "ratio" else f"{bound} {line.unit}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
