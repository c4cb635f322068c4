"""`remem report` writes a page and says where."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from remem.cli.pages import report
from remem.types import Gold, Record


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    made.command()(report)
    return made


def test_a_report_is_written_to_the_folder_of_the_run_or_to_a_given_file(
    app: typer.Typer, make_run, tmp_path: Path
) -> None:
    folder = make_run([Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")])
    done = CliRunner().invoke(app, [str(folder)], catch_exceptions=False)
    assert done.output.startswith(f"Written: {folder / 'report.html'} (0.")
    out = tmp_path / "deep" / "page.html"
    CliRunner().invoke(app, [str(folder), "--out", str(out)], catch_exceptions=False)
    assert out.read_bytes() == (folder / "report.html").read_bytes()
