"""How long a process takes that imports the package, and what it must not have imported."""

import subprocess
import sys
import time
from collections.abc import Iterator

from remem.bench.beside import timed
from remem.bench.line import Goal, Line, Sample

MOST_SECONDS = 0.3
HEAVY = ("torch", "evaluate")
MODULES = {"remem": MOST_SECONDS, "remem.cli": None}
"""What is imported, and the seconds that the whole process may take."""


def measure_imports(repeats: int) -> Iterator[Line]:
    """Import in fresh processes."""
    for module, most in MODULES.items():
        seconds = [
            timed(lambda name=module: import_alone(name), time.perf_counter)  # type: ignore[misc]
            for _ in range(repeats + 1)
        ]
        yield Line(
            name=f"import {module}",
            unit="s",
            ours=Sample.of(seconds[1:]),
            goal=Goal("<=", most, of="median") if most else None,
            note=f"the whole process; neither {' nor '.join(HEAVY)} is imported",
        )


def import_alone(module: str) -> None:
    """Import a module in a process of its own.

    Raises:
        subprocess.CalledProcessError: It imports something heavy, or cannot be imported.
    """
    check = f"import sys, {module}; sys.exit(bool(set({HEAVY!r}) & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", check], check=True)
