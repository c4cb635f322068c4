"""`remem report` writes a page and says where."""

from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from remem.types import Gold, Record


def test_a_report_is_written_to_the_folder_of_the_run_or_to_a_given_file(
    ask: Callable[..., Result], make_run: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_run([Record("q", "h", 0, "What?", Gold(("x",), "1"), "ok", answer="x")])
    done = ask("report", folder)
    assert done.output.startswith(f"Written: {folder / 'report.html'} (0.")
    out = tmp_path / "deep" / "page.html"
    ask("report", folder, "--out", out)
    assert out.read_bytes() == (folder / "report.html").read_bytes()
