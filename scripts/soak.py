"""Ask 100,000 questions with an endpoint that fails 5% of its calls, resume once: `make soak`."""

import argparse
import sys
import tempfile
from pathlib import Path

from measure.figures import note_figure
from measure.soak import Soaked, goals, soak
from rich.console import Console
from rich.table import Table


def main() -> None:
    """Run the soak test and print it; exit with 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:  # 0.8 GB for 100,000 questions
        found = soak(chosen.questions, Path(folder))
    met = goals(found)
    Console().print(_table(found))
    for goal in met:
        note_figure(goal.figure, goal.value)
    note_figure("soak cpu ratio", round(found.cpu_ratio, 2))
    note_figure("soak calls failed", found.first.faults + found.resumed.faults)
    sys.exit(0 if all(goal.holds for goal in met) else 1)


def _table(found: Soaked) -> Table:
    table = Table(
        title=f"{found.questions:,} questions, {found.first.faults + found.resumed.faults:,} calls "
        f"failed; {found.first.seconds:.0f} s, resume {found.resumed.seconds:.0f} s"
    )
    for heading in ("what", "found", "goal", "holds"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for goal in goals(found):
        table.add_row(goal.what, goal.found, goal.wanted, "yes" if goal.holds else "NO")
    table.add_row("processor time of a question likewise", f"{found.cpu_ratio:.2f} x", "none", "")
    return table


if __name__ == "__main__":
    main()
