"""Compare the call path with a plain `openai` loop: `make bench-calls`."""

import argparse
import json
import platform
import shutil
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from measure.calls import Compared, Load, compare_ways
from rich.console import Console
from rich.table import Table

LEAST_SHARE = 0.85
MOST_EXTRA_CPU_MILLISECONDS = 0.25


def main() -> None:
    """Measure, print and write the result as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0, 0.05], help="seconds")
    parser.add_argument("--prompt", type=int, nargs="+", default=[1000, 36_000], help="characters")
    parser.add_argument("--calls", type=int, default=2000, help="in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("results/bench/calls.json"))
    chosen = parser.parse_args()
    loads = [
        Load(in_flight, latency, prompt, chosen.calls)
        for in_flight in chosen.in_flight
        for latency in chosen.latency
        for prompt in chosen.prompt
    ]
    compared = [_compared(load, chosen.rounds) for load in loads]
    Console().print(_table(compared))
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    machine = {"platform": platform.platform(), "python": platform.python_version()}
    content = {
        "machine": {**machine, "openai": version("openai")},
        "loads": [asdict(measured) for measured in compared],
    }
    chosen.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _compared(load: Load, rounds: int) -> Compared:
    folder = Path(tempfile.mkdtemp(prefix="bench-calls-"))
    try:
        return compare_ways(load, folder, rounds)
    finally:
        shutil.rmtree(folder)


def _table(compared: list[Compared]) -> Table:
    table = Table(title="the same calls by a bare openai loop and through the call store")
    table.add_column("in flight, latency, prompt")
    for heading in ("calls/s", "bare", "share (min-max)", "goal", "CPU over bare", "goal"):
        table.add_column(heading, justify="right")
    for measured in compared:
        load = measured.load
        table.add_row(
            f"{load.in_flight}, {1000 * load.latency_seconds:g} ms, {load.prompt_characters:,}",
            f"{measured.calls_per_second:.0f}",
            f"{measured.bare_calls_per_second:.0f}",
            f"{measured.share:.0%} ({measured.share_low:.0%}-{measured.share_high:.0%})",
            _verdict(measured.share >= LEAST_SHARE),
            f"{measured.extra_cpu_milliseconds:+.2f} ms",
            _verdict(measured.extra_cpu_milliseconds <= MOST_EXTRA_CPU_MILLISECONDS),
        )
    return table


def _verdict(holds: bool) -> str:
    return "yes" if holds else "NO"


if __name__ == "__main__":
    main()
