"""The environment of a rival that cannot live in ours: where it is, and how to get it."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASKED_SECONDS = 60
RELEASE = "import sys, importlib.metadata; print(importlib.metadata.version(sys.argv[1]))"


def find_python(variable: str, environment: str, package: str, command: str) -> Path:
    """Return the interpreter of an environment that holds the pinned release of a package.

    Args:
        variable: The environment variable that names an interpreter, if it is set.
        environment: The folder of the environment otherwise, below the one that holds this package:
            the current folder may hold a stranger's files.
        package: The rival as pip writes it, `name==release`.
        command: What makes the environment.

    Raises:
        ImportError: There is none, or it holds another release.
    """
    python = Path(os.environ.get(variable) or ROOT / environment / "bin" / "python")
    name, _, pin = package.partition("==")
    found = _release(python, name)
    if found == pin:
        return python
    raise ImportError(
        f"{python} has {name + ' ' + found if found else 'no ' + name}, expected {package}: "
        f"{command} makes such an environment; or pip install it into your own, and name its "
        f"Python in {variable}"
    )


def _release(python: Path, name: str) -> str:
    """Return the release of a package there, empty without the package or the interpreter."""
    if not python.is_file():
        return ""
    command = [str(python.absolute()), "-c", RELEASE, name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=ASKED_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
