"""Ctrl-C while the command is still being imported, and how an interrupted command ends."""

import subprocess
import sys
from importlib.abc import MetaPathFinder

import pytest

from remem.__main__ import run_command_line


class Interrupting(MetaPathFinder):
    """Interrupts the import of the command line, like Ctrl-C at that moment."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "remem.cli.main":
            raise KeyboardInterrupt


def test_ctrl_c_while_importing_ends_with_its_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "remem.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        run_command_line()
    assert ended.value.code == 130
    assert "interrupted before anything began" in capsys.readouterr().err


def test_an_interrupted_command_cleans_up_and_ends_with_130_even_if_a_library_would_crash() -> None:
    code = (
        "import atexit, os, signal\n"
        "from remem import __main__\n"
        "from remem.cli import main as cli\n"
        "class Library:\n"
        "    def __del__(self, abort=os.abort):\n"
        "        abort()\n"
        "def interrupted(library=Library()):\n"
        "    atexit.register(print, 'cleaned up')\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "cli.main = interrupted\n"
        "__main__.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (130, b"cleaned up\n")
