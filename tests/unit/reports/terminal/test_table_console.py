"""The width of tables that are not printed to a terminal."""

import pytest

from remem.reports.terminal.console import table_console


@pytest.mark.parametrize(("columns", "width"), [("90", 90), ("0", 140), ("wide", 140)])
def test_a_pipe_has_the_width_that_columns_asks_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    table_console().print("x" * 150)
    assert len(capsys.readouterr().out.splitlines()[0]) == width
