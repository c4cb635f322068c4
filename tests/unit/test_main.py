"""Ctrl-C while the command is still importing."""

import sys
from importlib.abc import MetaPathFinder

import pytest

from remem.__main__ import main


class Interrupting(MetaPathFinder):
    """Is where the import of the command line stands when Ctrl-C comes."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "remem.cli.main":
            raise KeyboardInterrupt


def test_ctrl_c_while_importing_ends_with_its_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "remem.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "interrupted before anything began" in capsys.readouterr().err
