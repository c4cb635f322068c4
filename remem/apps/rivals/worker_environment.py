"""Find the separate Python environment of a baseline that cannot be installed with remem."""

import os
from pathlib import Path

from remem.files.programs import run_program
from remem.files.shipped import package_folder

ROOT = package_folder().parent
ASKED_SECONDS = 30
RELEASE = "import sys, importlib.metadata; print(importlib.metadata.version(sys.argv[1]))"


def find_python(variable: str, environment: str, package: str, command: str) -> Path:
    """Return the Python interpreter of an environment with the pinned release of a package.

    Args:
        variable: The environment variable that can name another interpreter.
        environment: The default folder of the environment, relative to the folder above this
            package, because the current folder may contain untrusted files.
        package: The pinned package, `name==release`.
        command: The command that creates the environment, for the error message.

    Raises:
        ImportError: The environment is missing, or has another release.
    """
    python = Path(os.environ.get(variable) or ROOT / environment / "bin" / "python")
    name, _, pin = package.partition("==")
    release = _release(python, name)
    if release == pin:
        return python
    raise ImportError(
        f"{python} has {name + ' ' + release if release else 'no ' + name}, expected {package}: "
        f"run {command} to create the environment, or install {package} in another environment "
        f"and set {variable} to its Python"
    )


def _release(python: Path, name: str) -> str:
    """Return the installed release of a package, or "" without the package or interpreter."""
    if not python.is_file():
        return ""
    command = [str(python.absolute()), "-c", RELEASE, name]
    try:
        done = run_program(command, ASKED_SECONDS)
    except OSError:
        return ""
    return done.output.strip() if done.exit_code == 0 else ""
