"""Find the Python environment of a baseline that cannot be installed together with remem."""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from remem.apps.rivals.worker_process import program_environment
from remem.files.programs import LongLineError, Program
from remem.files.shipped import package_folder

ROOT = package_folder().parent
ASKED_SECONDS = 30
RELEASE = "import sys, importlib.metadata; print(importlib.metadata.version(sys.argv[1]))"


def find_python(variable: str, environment: str, package: str, command: str) -> Path:
    """Return the Python of an environment that has the pinned release of a package.

    Args:
        variable: The environment variable that can name another interpreter.
        environment: The default folder of the environment. It is relative to the folder above this
            package, not to the current folder, which may contain untrusted files.
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
        f"and set {variable} to the Python of that environment"
    )


def _release(python: Path, name: str) -> str:
    """Return the installed release of a package; "" if the package or interpreter is missing.

    The interpreter gets no API key, because the packages of its environment may run code.
    """
    if not python.is_file():
        return ""
    command = [str(python.absolute()), "-c", RELEASE, name]
    deadline = time.monotonic() + ASKED_SECONDS
    with TemporaryDirectory(prefix="remem-release-") as folder:
        try:
            program = Program(command, environment=program_environment(folder, {}), folder=folder)
        except OSError:
            return ""
        try:
            line = program.read_line(lambda: deadline - time.monotonic()) or b""
        except (EOFError, LongLineError):
            line = b""
        finally:
            program.close()
    return line.decode(errors="replace").strip()
