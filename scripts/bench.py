"""Print how long indexing and each tool take over a large memory: `make bench`."""

import argparse
import json
import platform
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from remem.bench.tools_at_scale import time_chat_indexing, time_tools


def main() -> None:
    """Time, show and write as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000, help="gists, and as many facts")
    parser.add_argument("--appended", type=int, default=1_000, help="episodes appended at once")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--out", type=Path, default=Path("results/bench/tools.json"))
    chosen = parser.parse_args()
    sizes = {name: getattr(chosen, name) for name in ("size", "appended", "dimension", "repeats")}
    chat = time_chat_indexing(events=chosen.size // 20, seed=7)
    lines = [*time_tools(**sizes, seed=7), chat]
    table = Table(title=f"{chosen.size:,} gists and {chosen.size:,} facts, d = {chosen.dimension}")
    for heading in ("what", "n", "median", "min", "max", "goal", "holds"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for line in lines:
        goal = "" if line.goal is None else f"<= {line.goal:g} {line.unit}"
        holds = {None: "", True: "yes", False: "NO"}[line.holds]
        figures = (f"{figure:.1f} {line.unit}" for figure in (line.median, line.low, line.high))
        table.add_row(line.name, str(line.n), *figures, goal, holds)
    Console().print(table)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    machine = {"platform": platform.platform(), "python": platform.python_version()}
    content = {"machine": machine, "size": chosen.size, "lines": [asdict(line) for line in lines]}
    chosen.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
