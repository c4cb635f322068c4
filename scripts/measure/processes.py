"""Start modules of this folder in their own processes; the folder is not installed."""

import os
from pathlib import Path

SCRIPTS = Path(__file__).parents[1]


def environment() -> dict[str, str]:
    """Return the environment of this process, with this folder on Python's path."""
    path = filter(None, (str(SCRIPTS), os.environ.get("PYTHONPATH")))
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)}
