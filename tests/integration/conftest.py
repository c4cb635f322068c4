"""The command line in the process of the tests: a process of its own takes a second to start."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from remem.cli import main as cli


class Ended(NamedTuple):
    """The exit code of a command, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def remem() -> Callable[..., Ended]:
    """Call the command: `(folder, *words)`, with packages and data of its own on request."""
    return call_remem


def call_remem(
    folder: Path, *words: str | Path, packages: Path | None = None, data: Path | None = None
) -> Ended:
    """Call the command in a folder, with its results in `results` there and data only of `data`."""
    known = {"REMEM_RESULTS": folder / "results", "REMEM_DATA": data or folder / "no data"}
    out, err = StringIO(), StringIO()
    with (
        in_folder(folder, known, packages) as patch,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["remem", *map(str, words)])
        cli.main()
    return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@contextmanager
def in_folder(
    folder: Path, variables: dict[str, Path], packages: Path | None
) -> Iterator[pytest.MonkeyPatch]:
    """Be in a folder, with variables of the environment and with a folder on Python's path.

    The modules of that folder are forgotten at the end.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, place in variables.items():
            patch.setenv(name, str(place))
        if packages is not None:
            patch.syspath_prepend(packages)
        patch.setattr(sys, "excepthook", sys.excepthook)
        try:
            yield patch
        finally:
            for name, module in list(sys.modules.items()):
                file = getattr(module, "__file__", None)
                if packages is not None and file and Path(file).is_relative_to(packages):
                    del sys.modules[name]
