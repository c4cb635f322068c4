"""Shows what the benchmark measured: a table, a Markdown table, JSON with the machine, a plot."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from remem.bench.line import Growth, Line

HEADINGS = ("what", "n", "median", "spread", "against", "its median", "ratio", "goal", "holds")
UNKNOWN = "not measured"


def machine() -> Mapping[str, Any]:
    """Say what was measured on."""
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
            f"{_digits(peer.median)} {line.unit}" if peer else UNKNOWN if line.against else "",
            "" if line.ratio is None else f"{_digits(line.ratio)}x",
            _goal(line),
            {None: "", True: "yes", False: "NO"}[line.holds],
        )


def growth_rows(growths: Sequence[Growth]) -> Iterator[tuple[str, ...]]:
    """Yield name, medians by size, exponent and note of each growth."""
    for one in growths:
        by_size = zip(one.sizes, one.medians, strict=True)
        medians = ", ".join(f"{size:,}: {_digits(median)}" for size, median in by_size)
        yield one.name, f"{medians} {one.unit}", f"{one.exponent:.2f}", one.note


def as_json(lines: Sequence[Line], growths: Sequence[Growth]) -> Mapping[str, Any]:
    """Return everything, with the ratios and verdicts that follow."""
    return {
        "machine": machine(),
        "lines": [asdict(one) | {"ratio": one.ratio, "holds": one.holds} for one in lines],
        "growth": [asdict(one) | {"exponent": one.exponent} for one in growths],
    }


def plot_growth(growths: Sequence[Growth], file: Path) -> None:
    """Draw the growths of one unit each in a panel of their own, both axes logarithmic."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "growth"  # the same picture for the same figures
    units = sorted({one.unit for one in growths})
    figure = Figure(figsize=(6.5 * len(units), 5.5), layout="constrained")
    for axes, unit in zip(figure.subplots(1, len(units), squeeze=False)[0], units, strict=True):
        for one in (one for one in growths if one.unit == unit):
            axes.plot(one.sizes, one.medians, "o-", label=f"{one.name}: {one.exponent:.2f}")
        axes.set(xscale="log", yscale="log", xlabel="size", ylabel=unit)
        axes.legend(fontsize="small", title="grows with the power")
        axes.grid(visible=True, alpha=0.3)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})


def _goal(line: Line) -> str:
    if line.goal is None:
        return ""
    bound = f"{line.goal.sense} {_digits(line.goal.bound)}"
    return f"{bound}x" if line.goal.of == "ratio" else f"{bound} {line.unit}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
