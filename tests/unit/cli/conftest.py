"""Fixtures that several tests of the commands share."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from remem.cli import main as cli

PARTS = Path(__file__).parents[2] / "parts"


@dataclass(frozen=True)
class Ended:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """Return the last line on stderr."""
        return self.err.splitlines()[-1]


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Call the command in this process, and leave the process as it was; no traceback is shown."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("HYDRA_FULL_ERROR", "")

    def call(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["remem", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Ended(int(stop.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which a process also finds the modules in tests/parts."""
    path = (str(PARTS), os.environ.get("PYTHONPATH"))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
