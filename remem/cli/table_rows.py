"""What `remem table` and `remem tables` run rows with: the stub, and a bar for each row."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import TYPE_CHECKING

from remem.reports.terminal.console import safe_console

if TYPE_CHECKING:
    from remem.run.run_account import OnProgress

Progress = AbstractContextManager["OnProgress"]


@contextmanager
def stub_overrides(wanted: bool) -> Iterator[list[str]]:
    """Serve the stub if it is wanted, and yield the overrides that let it answer and embed."""
    from remem.serve.stub.stub import StubServer

    if not wanted:
        yield []
        return
    with StubServer() as server:
        yield [
            "llm=loopback-stub",
            f"llm.build.endpoint.base_url={server.base_url}",
            "embedder=loopback-stub",
            f"embedder.build.embedder.base_url={server.base_url}",
        ]


def numbered_progress(total: int | None = None) -> Callable[[str], Progress]:
    """Return what shows a bar for each row, numbered."""
    from remem.reports.terminal.progress import show_progress

    console, shown = safe_console(stderr=True), count(1)

    def progress(label: str) -> Progress:
        of = "" if total is None else f"/{total}"
        return show_progress(console, f"[{next(shown)}{of}] {label}")

    return progress
