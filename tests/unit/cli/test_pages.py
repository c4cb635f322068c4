"""`remem report` writes a page and says where; `remem view` needs a free port."""

import socket
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from remem.errors import UsageError
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


def test_a_taken_port_is_named_with_what_to_do(ask: Callable[..., Result], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ask("view", tmp_path, "--port", port)
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == (
        f"port {port} is taken by another program; choose another port, or let "
        f"--port 0 choose a free one"
    )
